package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/shellword"
)

// notVariable is the note for what is not the name of a variable. It does not quote the text, which may
// be a part of a secret.
const notVariable = "not of the form NAME=VALUE, where NAME has only letters, digits and _, and does not begin with a digit"

// notRead is added to a note after which it is not certain what is a part of a secret.
const notRead = "; the rest of the file is not read"

// dotenvFile is the file of variables beside the file of a project.
const dotenvFile = ".env"

// envFile is the variables of a file.
type envFile struct {
	name string // as shown, relative to the project
	env  map[string]string
}

// variables reads the files of variables that hold for all processes: those of the source, or else .env.
func (p *parser) variables() []envFile {
	paths := []string{p.path(dotenvFile)}
	if p.owner == overmind {
		paths = []string{p.path(overmindFile), paths[0]}
	}
	if len(p.source.EnvFiles) > 0 {
		paths = p.source.EnvFiles
	}
	var files []envFile
	for _, path := range paths {
		path = absolute(path)
		files = append(files, envFile{p.shown(path), p.dotenv(path)})
	}
	return files
}

// givenVariables is variables for a format whose owner reads no .env.
func (p *parser) givenVariables() []envFile {
	if len(p.source.EnvFiles) == 0 {
		return nil
	}
	return p.variables()
}

// dotenv reads a file of variables. Without the file there are none.
func (p *parser) dotenv(path string) map[string]string {
	data, err := plainfile.ReadLinked(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}
	}
	name := filepath.Base(path)
	if err != nil {
		p.plan.Notes = append(p.plan.Notes, Note{name, 1, fmt.Sprintf("it cannot be read: %v", err)})
		return map[string]string{}
	}
	return p.dotenvText(name, string(data))
}

// dotenvText returns the variables of a text of lines NAME=VALUE. A value in quotation marks may have
// several lines. What has another form is noted.
func (p *parser) dotenvText(file, text string) map[string]string {
	env := map[string]string{}
	rest := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	var above envEntry
	for line := 1; rest != ""; {
		e := nextVariable(rest, above)
		switch {
		case e.wrong != "":
			p.plan.Notes = append(p.plan.Notes, Note{file, line, e.wrong})
		case e.name != "":
			env[e.name] = p.dotenvValue(e, env)
		}
		line += strings.Count(rest[:e.size], "\n")
		rest, above = rest[e.size:], e
	}
	return env
}

// envEntry is what is read from a file of variables at once: a line, or the lines of a quoted value.
type envEntry struct {
	name, value string // an empty name: it has no variable
	template    string // the value in which variables may be replaced, with \$ for a $; empty: none are
	wrong       string // why it cannot be read; empty if it can
	size        int    // in bytes, with the end of the line
}

// nextVariable reads the entry at the beginning of text, which follows the entry above. A line inside a value
// may look like a variable. So if it is not certain where the value ends, the entry extends to the end of
// the text: otherwise a part of a secret could become a name.
func nextVariable(text string, above envEntry) (e envEntry) {
	line, following, ended := strings.Cut(text, "\n")
	e.size = len(line)
	if ended {
		e.size++
	}
	content := strings.TrimSpace(line)
	if content == "" || content[0] == '#' {
		return e
	}
	before, after, assigns := strings.Cut(line, "=")
	before = strings.TrimSpace(before)
	if words := strings.Fields(before); len(words) == 2 && words[0] == "export" {
		before = words[1]
	}
	after = strings.TrimLeft(after, " \t")
	switch {
	case !assigns, !nameLike().MatchString(before), after == "=", isLastOfBase64(above.value, content):
		e.stop(notVariable, text)
		return e
	case after != "" && strings.ContainsRune("\"'`", rune(after[0])):
		e.quoted(text[len(line)-len(after):], text)
	default:
		e.value = withoutComment(after)
		e.template = e.value
		if endsInLine(after) || mayContinue(e.value, following) {
			e.stop(uncertainEnd, text)
		}
	}
	switch {
	case e.wrong != "":
	case !shellword.IsName(before):
		e.wrong = notVariable
	case strings.ContainsRune(e.value, 0):
		e.wrong = "the value contains a NUL byte"
	default:
		e.name = before
	}
	return e
}

// stop records why the entry at the beginning of text cannot be read, and extends it to the end of text.
func (e *envEntry) stop(wrong, text string) {
	e.wrong = wrong
	if strings.TrimSpace(text[e.size:]) != "" {
		e.wrong += notRead
	}
	e.size = len(text)
}

// quoted reads the value of an entry that begins with a quotation mark, the first byte of from, which
// is the end of text. Some programs have escapes between single quotes and backquotes, too: lines that one of
// them would read as a part of the value are not taken for variables.
func (e *envEntry) quoted(from, text string) {
	mark := from[:1]
	value, behind, closed := unquote(from, mark == `"`)
	if !closed {
		e.stop("the closing "+mark+" is missing", text)
		return
	}
	isEscaped := from[len(from)-len(behind)-2] == '\\' // for a program that does not know of an escaped backslash, too
	behind, next, _ := strings.Cut(behind, "\n")
	e.value, e.size = value, len(text)-len(next)
	if mark == `"` {
		e.template, _, _ = unquote(strings.ReplaceAll(from, `\$`, `\\$`), true)
	}
	switch behind = strings.TrimSpace(behind); {
	case behind != "" && behind[0] != '#':
		e.stop("text follows the closing "+mark, text)
	case isEscaped && mayClose(next, mark[0], mark == `"`):
		e.stop(uncertainEnd, text)
	}
}

// unquote returns the value between the quotation mark at the beginning of s and the next one of its
// kind, and what follows that one. closed is false if there is no second one.
func unquote(s string, escapes bool) (value, behind string, closed bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && escapes && i+1 < len(s):
			i++
			b.WriteString(unescape(s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// unescape returns what a backslash and c mean in double quotes.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case '"', '\\', '$':
		return string(rune(c))
	}
	return `\` + string([]byte{c})
}

// withoutComment returns a value that is not quoted.
func withoutComment(s string) string {
	if strings.HasPrefix(s, "#") {
		return ""
	}
	s, _, _ = strings.Cut(s, " #")
	s, _, _ = strings.Cut(s, "\t#")
	return strings.TrimSpace(s)
}
