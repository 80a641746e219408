// Package complete completes the last word of a shell command while the user types it: names of programs
// and paths of this machine. It reads directories, so it is called from commands. What it offers is spelled
// as the shell reads it.
package complete

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/shellword"
)

// Extends reports whether text begins with what was typed, and has more.
func Extends(text, typed string) bool { return text != typed && strings.HasPrefix(text, typed) }

// apart has the characters that end an unquoted word. A value after "=" is completed too.
const apart = "\n=;|&<>()"

// LastWord returns the word at the end of a line, which may be empty.
func LastWord(line string) shellword.Word {
	none := shellword.Word{Start: len(line), End: len(line)}
	words := shellword.Split(line, apart)
	if len(words) == 0 {
		return none
	}
	last := words[len(words)-1]
	if last.Operator || last.End < len(line) {
		return none
	}
	return last
}

// IsCommand reports whether a shell looks up word, which follows before, in PATH.
func IsCommand(before, word string) bool {
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

// mostOffers is the maximum number of files or programs offered.
const mostOffers = 50

// Programs lists programs in dirs whose names begin with prefix. It returns none if prefix
// is a program's whole name.
func Programs(ctx context.Context, prefix string, dirs []string) []string {
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

// Paths lists completions of word as a path, which may begin with "~". Relative paths are
// relative to base.
func Paths(ctx context.Context, word, base, home string, dirsOnly bool) []string {
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
		if !offered(name, prefix) {
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

// offered reports whether name begins with prefix. Hidden files are offered once the dot is typed.
func offered(name, prefix string) bool {
	if prefix == "" {
		return !strings.HasPrefix(name, ".")
	}
	return strings.HasPrefix(name, prefix)
}

// Spell writes path in place of the word: inside an open quote, or with backslashes before
// characters that are special to a shell. A directory can be completed further.
func Spell(word shellword.Word, path string) string {
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
