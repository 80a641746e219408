package hostconf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kevinburke/ssh_config"
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
	files := []string{p.inHome(".ssh", "config"), systemFile("ssh_config")}
	if r.File != "" {
		files = []string{r.File}
	}
	s := settings{}
	var warnings, used []string
	for _, file := range files {
		scan := prescan{place: p, base: filepath.Dir(file)}
		text, err := scan.file(file, 0)
		if errors.Is(err, fs.ErrNotExist) && r.File == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, scan.warnings...)
		used = append(used, file)
		cfg, err := ssh_config.DecodeBytes([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := s.add(cfg, alias); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if user != "" {
		s["user"] = []string{user}
	}
	if port != "" {
		s["port"] = []string{port}
	}
	s.defaults()
	c := p.config(alias, s)
	c.Source, c.Warnings = strings.Join(used, ", "), warnings
	if c.Source == "" {
		c.Source = "defaults"
	}
	return c, nil
}

// options are those that matter here, and may be given several times or once.
func options() (many, once []string) {
	return []string{"IdentityFile", "CertificateFile"}, []string{
		"HostName", "Port", "User", "HostKeyAlias", "StrictHostKeyChecking", "HashKnownHosts", "IdentitiesOnly", "BatchMode",
		"AddressFamily", "PubkeyAuthentication", "PasswordAuthentication", "KbdInteractiveAuthentication", "HostKeyAlgorithms",
		"Ciphers", "KexAlgorithms", "MACs", "ConnectTimeout", "ServerAliveInterval", "ServerAliveCountMax", "ProxyJump",
		"ProxyCommand", "ControlPath", "UserKnownHostsFile", "GlobalKnownHostsFile", "IdentityAgent",
		"PreferredAuthentications", "NumberOfPasswordPrompts", "PKCS11Provider", "KnownHostsCommand", "RevokedHostKeys", "BindAddress",
		"BindInterface", "HostbasedAuthentication", "ProxyUseFdpass", "VerifyHostKeyDNS", "GSSAPIAuthentication",
	}
}

// add takes from cfg what is not set yet: the first value counts.
func (s settings) add(cfg *ssh_config.Config, alias string) error {
	many, once := options()
	for _, name := range once {
		key := strings.ToLower(name)
		if _, ok := s[key]; ok {
			continue
		}
		v, err := cfg.Get(alias, name)
		if err != nil {
			return err
		}
		if v != "" {
			s[key] = []string{v}
		}
	}
	for _, name := range many {
		v, err := cfg.GetAll(alias, name)
		if err != nil {
			return err
		}
		s[strings.ToLower(name)] = append(s[strings.ToLower(name)], v...)
	}
	// Lists that add to the defaults (+, -, ^) are left to the defaults.
	for _, name := range []string{"hostkeyalgorithms", "ciphers", "kexalgorithms", "macs"} {
		if v := s.first(name); v != "" && strings.ContainsRune("+-^", rune(v[0])) {
			delete(s, name)
		}
	}
	return nil
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

// prescan makes of a configuration file one that the parser understands: Include
// is carried out, blocks that begin with a Match which it would misread are
// dropped with a warning.
type prescan struct {
	place
	base     string
	warnings []string
	matches  bool // blocks are kept whose Match names hosts, as if that were all
}

func (s *prescan) file(name string, depth int) (string, error) {
	if depth > maxIncludes {
		return "", fmt.Errorf("%s: files include each other too deeply", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	block, dropped := "", false
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		word, rest := keyword(line)
		switch word {
		case "host":
			block, dropped = "Host "+strings.ReplaceAll(rest, `"`, ""), false
			b.WriteString(block + "\n")
		case "match":
			if hosts := named(rest); s.matches && len(hosts) > 0 {
				block, dropped = "Host "+strings.Join(hosts, " "), false
			} else if block, dropped = s.match(rest); dropped {
				s.warnings = append(s.warnings, fmt.Sprintf("%s:%d: `Match %s` cannot be judged without the ssh program and is left out", name, n, rest))
				continue
			}
			b.WriteString(block + "\n")
		case "include":
			if dropped {
				continue
			}
			text, err := s.include(rest, depth)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			// What follows belongs to this file's block again.
			if block == "" {
				block = "Host *"
			}
			b.WriteString(block + "\n")
		default:
			if !dropped {
				b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
			}
		}
	}
	return b.String(), nil
}

// match says what a Match becomes: only `all` and `host` with patterns are
// understood.
func (*prescan) match(rest string) (block string, dropped bool) {
	f := strings.Fields(strings.ReplaceAll(rest, `"`, ""))
	switch {
	case len(f) == 1 && strings.EqualFold(f[0], "all"):
		return "Host *", false
	case len(f) == 2 && (strings.EqualFold(f[0], "host") || strings.EqualFold(f[0], "originalhost")):
		return "Host " + strings.ReplaceAll(f[1], ",", " "), false
	}
	return "", true
}

func (s *prescan) include(rest string, depth int) (string, error) {
	var b strings.Builder
	for _, pattern := range strings.Fields(strings.ReplaceAll(rest, `"`, "")) {
		if home, ok := strings.CutPrefix(pattern, "~/"); ok {
			pattern = s.inHome(home)
		}
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(s.base, pattern)
		}
		names, err := filepath.Glob(pattern)
		if err != nil {
			return "", fmt.Errorf("include %s: %w", pattern, err)
		}
		slices.Sort(names)
		for _, name := range names {
			if fi, err := os.Stat(name); err != nil || fi.IsDir() {
				continue // ssh passes over it, too
			}
			text, err := s.file(name, depth+1)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
	}
	return b.String(), nil
}

// keyword is the option of a line, in lower case, and its value.
func keyword(line string) (word, rest string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=")
	if i < 0 {
		return strings.ToLower(line), ""
	}
	rest = strings.TrimLeft(line[i:], " \t")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "="), " \t")
	return strings.ToLower(line[:i]), rest
}

// Hosts lists the names that the configuration speaks of, without patterns: for
// completion. An empty file stands for the user's and the system's.
func Hosts(file string) []string {
	p := thisPlace()
	files := []string{p.inHome(".ssh", "config"), systemFile("ssh_config")}
	if file != "" {
		files = []string{file}
	}
	var names []string
	for _, file := range files {
		scan := prescan{place: p, base: filepath.Dir(file), matches: true}
		text, err := scan.file(file, 0)
		if err != nil {
			continue // nothing to offer
		}
		for line := range strings.Lines(text) {
			if word, rest := keyword(line); word == "host" {
				rest, _, _ = strings.Cut(rest, " #")
				names = append(names, strings.Fields(rest)...)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.ContainsAny(name, "*?!") })
	slices.Sort(names)
	return slices.Compact(names)
}

// named are the hosts that a Match is for, among other conditions.
func named(match string) []string {
	f := strings.Fields(strings.ReplaceAll(match, `"`, ""))
	for i := 0; i+1 < len(f); i++ {
		if strings.EqualFold(f[i], "host") || strings.EqualFold(f[i], "originalhost") {
			return strings.Split(f[i+1], ",")
		}
	}
	return nil
}
