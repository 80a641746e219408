package hostconf

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
)

const maxIncludes = 16 // deep

// systemFile is a file of OpenSSH that holds for all users of the machine.
func systemFile(name string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "ssh", name)
	}
	return "/etc/ssh/" + name
}

// read is for machines without an ssh program.
func (r Resolver) read(p place, dest string) (*Config, error) {
	user, alias, port := split(dest)
	s := settings{}
	if user != "" {
		s["user"] = []string{user}
	}
	if port != "" {
		s["port"] = []string{port}
	}
	reader := reader{place: p, alias: alias, set: s}
	var used []string
	for _, file := range p.files(r.File) {
		err := reader.file(file, filepath.Dir(file), true, 0)
		if errors.Is(err, fs.ErrNotExist) && r.File == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		used = append(used, file)
	}
	s.defaults()
	c := p.config(alias, s)
	c.Source, c.Warnings = cmp.Or(strings.Join(used, ", "), "defaults"), reader.warnings
	return c, nil
}

// files are those of the configuration: file, or if that is empty the user's and the
// system's.
func (p place) files(file string) []string {
	if file != "" {
		return []string{file}
	}
	return []string{p.inHome(".ssh", "config"), systemFile("ssh_config")}
}

func (s settings) defaults() {
	if len(s["identityfile"]) == 0 {
		s["identityfile"] = []string{"~/.ssh/id_rsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ed25519"}
	}
	if len(s["userknownhostsfile"]) == 0 {
		s["userknownhostsfile"] = []string{"~/.ssh/known_hosts ~/.ssh/known_hosts2"}
	}
	if len(s["globalknownhostsfile"]) == 0 {
		s["globalknownhostsfile"] = []string{systemFile("ssh_known_hosts") + " " + systemFile("ssh_known_hosts2")}
	}
}

// reader collects from configuration files the settings for one host, and the names of hosts that
// they mention.
type reader struct {
	place
	alias    string
	set      settings
	names    []string
	warnings []string
}

// maxFile limits the size of a configuration file, in bytes.
const maxFile = 4 << 20

// file reads a file. Names of files that it includes are relative to base. applies is whether
// settings outside any block count.
func (r *reader) file(name, base string, applies bool, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("%s: files include each other too deeply", name)
	}
	data, err := plainfile.ReadLinked(name, maxFile)
	if err != nil {
		return err
	}
	outer, n := applies, 0
	for line := range strings.Lines(string(data)) {
		n++
		word, value := keyword(line)
		switch words := strings.Fields(strings.ReplaceAll(value, `"`, "")); word {
		case "":
		case "host":
			r.names = append(r.names, words...)
			applies = outer && matches(words, r.alias)
		case "match":
			patterns, known := conditions(words)
			r.names = append(r.names, patterns...)
			applies = outer && known && matches(patterns, r.alias)
			if !known {
				r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: `Match %s` cannot be evaluated without the ssh program and is ignored", name, n, value))
			}
		case "include":
			if err := r.include(words, base, applies, depth); err != nil {
				return err
			}
		default:
			if applies {
				r.set.add(word, value)
			}
		}
	}
	return nil
}

func (r *reader) include(patterns []string, base string, applies bool, depth int) error {
	for _, pattern := range patterns {
		if home, ok := strings.CutPrefix(pattern, "~/"); ok {
			pattern = r.inHome(home)
		}
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(base, pattern)
		}
		names, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("include %s: %w", pattern, err)
		}
		slices.Sort(names)
		for _, name := range names {
			if fi, err := os.Stat(name); err != nil || fi.IsDir() {
				continue // ssh passes over it, too
			}
			if err := r.file(name, base, applies, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// conditions are the hosts that a Match is for. It is known what it means if it names
// nothing else.
func conditions(words []string) (patterns []string, known bool) {
	if len(words) == 1 && strings.EqualFold(words[0], "all") {
		return []string{"*"}, true
	}
	for i := 0; i+1 < len(words); i++ {
		if strings.EqualFold(words[i], "host") || strings.EqualFold(words[i], "originalhost") {
			return strings.Split(words[i+1], ","), len(words) == 2
		}
	}
	return nil, false
}

// matches reports whether one of patterns is for the host, and none with a ! is.
func matches(patterns []string, alias string) bool {
	found := false
	for _, p := range patterns {
		p, not := strings.CutPrefix(p, "!")
		expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(p))
		if regexp.MustCompile("^" + expr + "$").MatchString(alias) {
			if not {
				return false
			}
			found = true
		}
	}
	return found
}

// add takes a value. Of most options the first counts.
func (s settings) add(name, value string) {
	switch name {
	case "identityfile", "certificatefile":
	case "hostkeyalgorithms", "ciphers", "kexalgorithms", "macs":
		if strings.ContainsAny(value[:min(1, len(value))], "+-^") {
			return // what adds to the defaults is left to them
		}
		fallthrough
	default:
		if len(s[name]) > 0 {
			return
		}
	}
	if strings.Count(value, `"`) == 2 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		value = strings.Trim(value, `"`)
	}
	s[name] = append(s[name], value)
}

// keyword is the option of a line, in lower case, and its value.
func keyword(line string) (word, value string) {
	line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=")
	if i < 0 {
		return strings.ToLower(line), ""
	}
	value = strings.TrimLeft(line[i:], " \t")
	return strings.ToLower(line[:i]), strings.TrimSpace(strings.TrimPrefix(value, "="))
}

// Hosts lists the host names in the configuration, without patterns: for completion. If file is empty
// it reads the user's and the system's configuration.
func Hosts(file string) []string {
	r := reader{place: thisPlace(), set: settings{}}
	for _, file := range r.files(file) {
		_ = r.file(file, filepath.Dir(file), false, 0) // what cannot be read offers nothing
	}
	names := slices.DeleteFunc(r.names, func(name string) bool { return strings.ContainsAny(name, "*?!") })
	slices.Sort(names)
	return slices.Compact(names)
}
