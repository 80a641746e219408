package config

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/hobjobs/hob/themes"
)

// WriteTOML prints every setting and key in effect as a configuration file, with
// what each is for and where its value came from. Problems stand first, as
// comments. The result read back gives the same settings.
func (c *Config) WriteTOML(w io.Writer) error {
	b := bufio.NewWriter(w)
	c.writeHead(b)
	for _, section := range sections() {
		switch section {
		case "keys":
			c.writeKeys(b)
		case "hosts":
			c.writeHosts(b)
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
		fmt.Fprintf(w, "# %s (not there: defaults)\n", comment(c.Path))
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

func (c *Config) writeHosts(w io.Writer) {
	last := ""
	for _, s := range c.settings {
		if !strings.HasPrefix(s.name, "hosts.") {
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
	fmt.Fprintf(w, "%s = %s  # %s\n", name, s.toTOML(), comment(s.origin.String()))
}

// writeUnsetTokens names the colours that can be set beside the theme's name.
func (c *Config) writeUnsetTokens(w io.Writer) {
	unset := slices.DeleteFunc(themes.TokenNames(), func(name string) bool { return c.Theme.Tokens[name] != "" })
	fmt.Fprintf(w, "# single colours, as accent = %s, that may be set here: %s\n", quote("bold #ff8800 on 236"), strings.Join(unset, ", "))
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
		fmt.Fprintf(w, "%s = %s  # %s: %s\n", a.ID(), quoteList(keys), comment(c.keyOrigin(a).String()), a.Description)
	}
}

// comment makes text fit for a TOML comment and for a terminal: one line,
// nothing that acts.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
