package project

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// expandEnv replaces $NAME, ${NAME}, ${NAME-DEFAULT} and ${NAME:-DEFAULT} by the values of lookup,
// which are empty for a variable that is not set, and $$ by $.
func expandEnv(s string, lookup func(string) (string, bool)) (expanded string, err error) {
	if open := regexp.MustCompile(`\$\{([^}]*$|\})`); open.MatchString(strings.ReplaceAll(s, "$$", "")) {
		return "", errors.New("a name or a closing } is missing")
	}
	expanded = os.Expand(s, func(name string) string {
		text, failed := expandOne(name, lookup)
		err = cmp.Or(err, failed)
		return text
	})
	return expanded, err
}

// expandOne returns the value of what follows a $ or is between ${ and }.
func expandOne(s string, lookup func(string) (string, bool)) (string, error) {
	m := regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)((:?)[-=](.*))?$`).FindStringSubmatch(s)
	switch {
	case s == "$":
		return "$", nil
	case m == nil && len(s) == 1:
		return "$" + s, nil // for the shell, such as $1
	case m == nil:
		return "", fmt.Errorf("${%s} is not supported", s)
	}
	text, ok := lookup(m[1])
	hasDefault, alsoEmpty := m[2] != "", m[3] == ":"
	missing := !ok || alsoEmpty && text == ""
	if hasDefault && missing {
		return m[4], nil
	}
	return text, nil
}
