package ui

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// complete completes the word before the cursor. In an empty field Tab moves on. The disk is read
// in a command.
func (f *jobForms) complete(form *prompt.Form) tea.Cmd {
	if form.Untouched() {
		form.Move(1)
		return nil
	}
	name, line := form.Field()
	before := line.Before()
	offer := func(offers []string) tea.Cmd { return f.offered(form, name, before, offers) }
	switch name {
	case fieldHost:
		hosts := slices.DeleteFunc(f.knownHosts(), func(h string) bool { return !completes(h, before) })
		return offer(hosts)
	case fieldOptions:
		return offer(offerOptions(before))
	case fieldDir:
		if before == "" || strings.TrimSpace(form.Value(fieldHost)) != "" {
			return offer(nil)
		}
		home := f.opts.home
		return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
			dirs := completePath(ctx, before, "", home, true)
			return func() tea.Cmd { return offer(dirs) }
		})
	case fieldCommand:
		return f.completeCommand(form, before, offer)
	}
	return nil
}

// completeCommand offers earlier commands with the same beginning, then completions of the last
// word: a program where a shell expects a command, else a file.
func (f *jobForms) completeCommand(form *prompt.Form, before string, offer func([]string) tea.Cmd) tea.Cmd {
	if strings.TrimSpace(before) == "" {
		return offer(nil)
	}
	var offers []string
	_, line := form.Field()
	atEnd := line.Value() == before
	if atEnd {
		for _, c := range f.commands() {
			if completes(c, before) && len(offers) < mostEarlier {
				offers = append(offers, c)
			}
		}
	}
	word := lastWord(before)
	if word.Text == "" || strings.TrimSpace(form.Value(fieldHost)) != "" {
		return offer(offers)
	}
	home, base := f.opts.home, f.untilde(strings.TrimSpace(form.Value(fieldDir)))
	return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
		var found []string
		if isCommandName(before[:word.Start], word.Text) {
			found = completeProgram(ctx, word.Text, filepath.SplitList(os.Getenv("PATH")))
		} else {
			found = completePath(ctx, word.Text, base, home, false)
		}
		for _, text := range found {
			text = before[:word.Start] + spell(word, text)
			if len(found) == 1 && atEnd && !strings.HasSuffix(text, "/") {
				text += " " // as in a shell: the next word follows
			}
			if !slices.Contains(offers, text) {
				offers = append(offers, text)
			}
		}
		return func() tea.Cmd { return offer(offers) }
	})
}

// offered shows completions of the text before the cursor. If there are none, Tab moves to the
// next field. If the text has changed since, they are dropped.
func (f *jobForms) offered(form *prompt.Form, field, before string, offers []string) tea.Cmd {
	if !f.modal.shows(form) { // closed meanwhile
		return nil
	}
	name, line := form.Field()
	if name != field || line.Before() != before {
		return nil
	}
	if len(offers) == 0 {
		form.Move(1)
		return nil
	}
	form.Offer(offers)
	return nil
}

// completes reports whether text begins with what was typed, and has more.
func completes(text, typed string) bool { return text != typed && strings.HasPrefix(text, typed) }

// mostEarlier is the maximum number of earlier commands offered.
const mostEarlier = 10

// isCommandName reports whether a shell looks up word, which follows before, in PATH.
func isCommandName(before, word string) bool {
	if strings.ContainsAny(word, "/~") || strings.HasSuffix(before, "=") {
		return false
	}
	before = before[strings.LastIndexAny(before, ";|&(\n")+1:]
	for _, w := range strings.Fields(before) {
		if !strings.Contains(w, "=") {
			return false // it is an argument of w
		}
	}
	return true
}

// completeProgram lists programs in dirs whose names begin with prefix. It returns none if prefix
// is a program's whole name.
func completeProgram(ctx context.Context, prefix string, dirs []string) []string {
	var names []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil || ctx.Err() != nil {
			continue // PATH may name directories that do not exist
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix) {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			switch {
			case err != nil, info.IsDir(), !executable(info):
			case e.Name() == prefix:
				return nil
			default:
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), mostOffers)]
}

// executable reports whether the file may be a program. Windows has no such permission.
func executable(info fs.FileInfo) bool {
	return info.Mode()&0o111 != 0 || runtime.GOOS == "windows"
}

// mostOffers is the maximum number of files or programs offered.
const mostOffers = 50

// completePath lists completions of word as a path, which may begin with "~". Relative paths are
// relative to base.
func completePath(ctx context.Context, word, base, home string, dirsOnly bool) []string {
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
		if len(offers) == mostOffers {
			break
		}
		name := e.Name()
		hidden := prefix == "" && strings.HasPrefix(name, ".")
		if hidden || !strings.HasPrefix(name, prefix) {
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

// apart has the characters that end an unquoted word. A value after "=" is completed too.
const apart = "\n=;|&<>()"

// lastWord returns the word at the end of a line, which may be empty.
func lastWord(line string) shellword.Word {
	words := shellword.Split(line, apart)
	if n := len(words) - 1; n >= 0 && !words[n].Operator && words[n].End == len(line) {
		return words[n]
	}
	return shellword.Word{Start: len(line), End: len(line)}
}

func splitWords(line string) ([]string, error) {
	var words []string
	for _, w := range shellword.Split(line, "") {
		if w.Open != 0 {
			return nil, errors.New("unclosed quote")
		}
		words = append(words, w.Text)
	}
	return words, nil
}

// spell writes path in place of the word: inside an open quote, or with backslashes before
// characters that are special to a shell. A directory can be completed further.
func spell(word shellword.Word, path string) string {
	special := " \t\"'\\$`!*?[]{}()<>|&;#"
	begin, end := "", ""
	switch word.Open {
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

// closing returns the quote to add after a file. After a directory more may follow, so it returns
// "".
func closing(path, quote string) string {
	if strings.HasSuffix(path, "/") {
		return ""
	}
	return quote
}
