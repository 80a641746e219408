package config

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hobjobs/hob/themes"
)

// WriteTOML prints all effective settings and keys as a configuration file, with comments
// that describe each and its origin. Problems are comments at the top. Reading the result
// returns the same settings.
func (c *Config) WriteTOML(w io.Writer) error {
	b := bufio.NewWriter(w)
	c.writeHead(b)
	for _, section := range sections() {
		switch section {
		case "keys":
			c.writeKeys(b)
		case "hosts", "queue":
			c.writeNamed(b, section+".")
		default:
			fmt.Fprintf(b, "\n[%s]\n", section)
			for _, s := range c.settings {
				if name, ok := strings.CutPrefix(s.name, section+"."); ok {
					writeSetting(b, name, s)
				}
			}
			if section == "theme" {
				c.writeUnsetTokens(b)
			}
		}
	}
	return b.Flush()
}

func (c *Config) writeHead(w io.Writer) {
	switch {
	case c.Path == "":
		fmt.Fprintln(w, "# no configuration file: there is no home directory")
	case !c.Found:
		fmt.Fprintf(w, "# %s (not found, using defaults)\n", comment(c.Path))
	default:
		fmt.Fprintf(w, "# %s\n", comment(c.Path))
	}
	for _, p := range c.Problems {
		fmt.Fprintf(w, "# problem: %s\n", comment(p.Error()))
	}
	for _, p := range c.Warnings {
		fmt.Fprintf(w, "# problem: $%s\n", comment(p.Error()))
	}
}

// writeNamed prints the tables whose names begin with prefix, "hosts." for [hosts.NAME].
func (c *Config) writeNamed(w io.Writer, prefix string) {
	last := ""
	for _, s := range c.settings {
		if !strings.HasPrefix(s.name, prefix) {
			continue
		}
		at := strings.LastIndexByte(s.name, '.')
		if s.name[:at] != last {
			last = s.name[:at]
			fmt.Fprintf(w, "\n[%s]\n", last)
		}
		writeSetting(w, s.name[at+1:], s)
	}
}

func writeSetting(w io.Writer, name string, s *setting) {
	switch {
	case s.doc != "" && s.takes != "":
		fmt.Fprintf(w, "# %s (%s)\n", s.doc, s.takes)
	case s.doc != "":
		fmt.Fprintf(w, "# %s\n", s.doc)
	}
	fmt.Fprintf(w, "%s = %s  # %s\n", name, s.toTOML(), comment(s.origin))
}

// writeUnsetTokens lists the tokens that can be set in addition to the theme.
func (c *Config) writeUnsetTokens(w io.Writer) {
	unset := slices.DeleteFunc(themes.TokenNames(), func(name string) bool { return c.Theme.Tokens[name] != "" })
	fmt.Fprintf(w, "# further tokens, for example accent = %s: %s\n", quote("bold #ff8800 on 236"), strings.Join(unset, ", "))
}

func (c *Config) writeKeys(w io.Writer) {
	fmt.Fprint(w, "\n[keys]\n")
	section := ""
	for _, a := range c.Keymap().Actions() {
		if a.Section != section {
			section = a.Section
			fmt.Fprintf(w, "# works in: %s\n", strings.Join(a.Where, ", "))
		}
		var keys []string
		if a.Binding.Enabled() {
			keys = a.Binding.Keys()
		}
		fmt.Fprintf(w, "%s = %s  # %s: %s\n", a.ID(), quoteList(keys), comment(c.keyOrigin(a)), a.Description)
	}
}

// comment makes text safe for a TOML comment and a terminal: it replaces line breaks and
// control characters by spaces.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// quote returns s as a basic TOML string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20, r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteList[T ~string](list []T) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(string(s))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// keyText returns s as a TOML key, quoted if necessary.
func keyText(s string) string {
	if isBareKey(s) {
		return s
	}
	return quote(s)
}

func isBareKey(s string) bool {
	const chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return s != "" && strings.Trim(s, chars) == ""
}

func stringList(v any) ([]string, error) {
	items, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of strings, not %s", kind(v))
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("must be a list of strings, but contains %s", kind(item))
		}
		list = append(list, s)
	}
	return list, nil
}

// kind describes the type of a decoded value for an error.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	}
	return "a date or time"
}
