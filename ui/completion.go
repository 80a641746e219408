package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/prompt"
)

// complete offers what the word before the cursor could become; a field in which
// nothing was typed is passed. The disk is read in a command.
func (p *Pane) complete(form *prompt.Form) tea.Cmd {
	if form.Untouched() {
		form.Move(1)
		return nil
	}
	name, line := form.Field()
	before := line.Before()
	offer := func(offers []string) tea.Cmd { return p.offered(form, name, before, offers) }
	switch name {
	case fieldHost:
		hosts := slices.DeleteFunc(p.knownHosts(), func(h string) bool { return h == before || !strings.HasPrefix(h, before) })
		return offer(hosts)
	case fieldOptions:
		return offer(offerOptions(before))
	case fieldDir, fieldCommand:
		if host := strings.TrimSpace(form.Value(fieldHost)); host != "" {
			return offer(nil)
		}
		home, base, dirs := p.opts.home, p.untilde(strings.TrimSpace(form.Value(fieldDir))), name == fieldDir
		word := shellWord{text: before}
		if dirs {
			base = ""
		} else {
			word = lastWord(before)
		}
		if word.text == "" { // a field that is left empty is to be passed
			form.Move(1)
			return nil
		}
		return p.async(func(ctx context.Context) func() tea.Cmd {
			paths := completePath(ctx, word.text, base, home, dirs)
			if !dirs {
				for i, path := range paths {
					paths[i] = before[:word.at] + word.spell(path)
				}
			}
			return func() tea.Cmd { return offer(paths) }
		})
	}
	return nil
}

// offered shows completions of what stood before the cursor; with none, Tab goes on
// to the next field. What was typed since makes them void.
func (p *Pane) offered(form *prompt.Form, field, before string, offers []string) tea.Cmd {
	name, line := form.Field()
	if p.over == nil || p.over.box != form || name != field || line.Before() != before {
		return nil
	}
	p.dirty = true
	if len(offers) == 0 {
		form.Move(1)
		return nil
	}
	form.Offer(offers)
	return nil
}

// completePath lists what word, a path perhaps with "~", could become. Paths
// are relative to base.
func completePath(ctx context.Context, word, base, home string, dirsOnly bool) []string {
	const most = 50
	dir, prefix := filepath.Split(word)
	place := dir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && home != "" {
		place = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(place) {
		place = filepath.Join(base, place)
	}
	if place == "" {
		place = "."
	}
	if ctx.Err() != nil {
		return nil
	}
	entries, err := os.ReadDir(place)
	if err != nil {
		return nil // nothing to offer
	}
	var offers []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || prefix == "" && strings.HasPrefix(name, ".") || len(offers) == most {
			continue
		}
		isDir := e.IsDir()
		if e.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(place, name))
			isDir = err == nil && info.IsDir()
		}
		switch {
		case isDir:
			offers = append(offers, dir+name+"/")
		case !dirsOnly:
			offers = append(offers, dir+name)
		}
	}
	return slices.DeleteFunc(offers, func(s string) bool { return s == word })
}

// shellWord is a word of a command line, as a shell reads it.
type shellWord struct {
	at      int    // where it begins, quotes and all
	text    string // without quotes and backslashes
	given   bool   // there is one, be it empty quotes
	quote   rune   // still open; 0: none
	escaped bool   // it ends in a backslash
}

// apart are characters that end a word where they are not quoted. A value behind
// "=" is completed, too.
const apart = " \t\n=;|&<>()"

// shellWords splits a line at those characters. The last word is the one that the
// line ends in.
func shellWords(line, apart string) []shellWord {
	words := []shellWord{{}}
	for i, r := range line {
		w := &words[len(words)-1]
		switch {
		case w.escaped:
			w.text += string(r)
			w.escaped = false
		case r == '\\' && w.quote != '\'':
			w.escaped, w.given = true, true
		case w.quote != 0 && r == w.quote:
			w.quote = 0
		case w.quote != 0:
			w.text += string(r)
		case r == '\'' || r == '"':
			w.quote, w.given = r, true
		case strings.ContainsRune(apart, r):
			words = append(words, shellWord{at: i + 1})
		default:
			w.text += string(r)
			w.given = true
		}
	}
	return words
}

// lastWord finds the last word of a line.
func lastWord(line string) shellWord {
	words := shellWords(line, apart)
	return words[len(words)-1]
}

// splitWords splits a line at blanks.
func splitWords(line string) ([]string, error) {
	var words []string
	for _, w := range shellWords(line, " \t") {
		if w.quote != 0 || w.escaped {
			return nil, errors.New("a quote is not closed")
		}
		if w.given {
			words = append(words, w.text)
		}
	}
	return words, nil
}

// spell writes path in the place of the word: in the quotes that are open, else
// with backslashes where a shell would not take a character as it is. What is
// below a directory can be typed on.
func (w shellWord) spell(path string) string {
	special := " \t\"'\\$`!*?[]{}()<>|&;#"
	begin, end := "", ""
	switch w.quote {
	case '\'':
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + closing(path, "'")
	case '"':
		special, begin, end = "\"\\$`", `"`, closing(path, `"`)
	}
	var b strings.Builder
	b.WriteString(begin)
	for _, r := range path {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String() + end
}

// closing is the quote behind a file; behind a directory more may follow.
func closing(path, quote string) string {
	if strings.HasSuffix(path, "/") {
		return ""
	}
	return quote
}
