package project

import (
	"os"
	"strings"
)

// overmindFile is a file of variables that only overmind reads. If it is there, the Procfile is read as overmind
// does it.
const overmindFile = ".overmind.env"

// The programs that replace variables in files of variables.
const (
	overmind       = "overmind"
	processCompose = "process-compose"
)

// usesOvermind reports whether the project has a file of overmind.
func (p *parser) usesOvermind() bool {
	_, err := os.Stat(p.path(overmindFile))
	return err == nil
}

// variableInDotenv matches what process-compose and overmind replace in a value: $NAME in capital letters, ${NAME},
// and the latter with a default. A backslash before it keeps it.
var variableInDotenv = compiledLater(`\\?\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|([A-Z_][A-Z0-9_]*)|)`)

// dotenvValue returns the value of an entry, in which variables are replaced if the owner of the format does it. above
// are those of the same file.
func (p *parser) dotenvValue(e envEntry, above map[string]string) string {
	if !strings.Contains(e.template, "$") {
		return e.value
	}
	p.plan.EnvRule = "$NAME is not replaced, as with foreman"
	if p.owner == "" {
		return e.value
	}
	p.plan.EnvRule = "$NAME is replaced, as with " + p.owner
	return expandDotenv(e.template, func(name string) (string, bool) {
		if value, ok := above[name]; ok {
			return value, true
		}
		return p.lookup(name)
	})
}

func expandDotenv(text string, lookup func(name string) (string, bool)) string {
	re := variableInDotenv()
	return re.ReplaceAllStringFunc(text, func(found string) string {
		m := re.FindStringSubmatch(found)
		if kept, ok := strings.CutPrefix(found, `\`); ok {
			return kept
		}
		name := m[1] + m[3]
		if name == "" {
			return found // a $ of its own
		}
		value, _ := lookup(name)
		if hasDefault := strings.Contains(found, "-"); hasDefault && value == "" {
			return m[2]
		}
		return value
	})
}
