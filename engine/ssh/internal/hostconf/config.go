// Package hostconf determines how `ssh HOST` would reach a host. It runs `ssh -G` if ssh is
// installed. Otherwise it reads the configuration files itself, as far as it supports them, and
// returns a warning for the rest.
package hostconf

import (
	"crypto/sha1" //nolint:gosec // it names a socket as ssh does
	"encoding/hex"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is how to reach one host. Files are absolute, tokens expanded.
type Config struct {
	Alias    string // what the user calls it
	HostName string
	Port     string
	User     string

	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	Agent            string // socket; empty: none

	KnownHosts    []string // the first is added to
	HostKeyAlias  string
	StrictKeys    string // yes, accept-new, ask, no
	HashKnown     bool
	HostKeyAlgos  []string
	Ciphers       []string
	KeyExchanges  []string
	MACs          []string
	ProxyJump     []string
	ProxyCommand  string
	ControlPath   string
	Timeout       time.Duration // of connecting; 0: not set
	Alive         time.Duration // between checks that the host is alive; 0: not set
	AliveMax      int
	BatchMode     bool
	AddressFamily string // any, inet, inet6

	NoPubkey, NoPassword, NoQuestions bool
	Preferred                         []string // methods, in order; nil: the usual
	PasswordPrompts                   int      // how often it is asked for; 0: not set
	// Needs names the options that only the ssh program can serve.
	Needs []string

	// Source is the origin of the configuration: "ssh -G", or the files that were read.
	Source   string
	Warnings []string
}

// Address is what is dialed.
func (c *Config) Address() string { return joinHostPort(c.HostName, c.Port) }

// KeyAddress is what the host's key is known by.
func (c *Config) KeyAddress() string {
	if c.HostKeyAlias != "" {
		// It is used in known_hosts as it is, and may have the form [HOST]:PORT.
		if _, _, err := net.SplitHostPort(c.HostKeyAlias); err == nil && c.HostKeyAlias[0] == '[' {
			return c.HostKeyAlias
		}
		return joinHostPort(c.HostKeyAlias, "22")
	}
	return c.Address()
}

func joinHostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// settings are the values of options, by their names in lower case.
type settings map[string][]string

func (s settings) first(name string) string {
	if v := s[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// set is first, but empty for "none", by which an option is turned off.
func (s settings) set(name string) string {
	if v := s.first(name); !strings.EqualFold(v, "none") {
		return v
	}
	return ""
}

func (s settings) yes(name string) bool { return truth(s.first(name)) == "yes" }

func (s settings) no(name string) bool { return truth(s.first(name)) == "no" }

// truth normalizes a value that newer and older versions of ssh print differently.
func truth(v string) string {
	switch strings.ToLower(v) {
	case "true", "on", "yes":
		return "yes"
	case "false", "off", "no":
		return "no"
	}
	return strings.ToLower(v)
}

// place has the facts of this machine for tokens and defaults.
type place struct {
	home, user, name, agent string
	uid                     string
	env                     func(string) string
}

func thisPlace() place {
	p := place{env: os.Getenv, agent: os.Getenv("SSH_AUTH_SOCK")}
	p.home, _ = os.UserHomeDir()
	p.name, _ = os.Hostname()
	if u, err := user.Current(); err == nil {
		p.user, p.uid = u.Username, u.Uid
		if p.home == "" {
			p.home = u.HomeDir
		}
	}
	return p
}

// config makes a Config of the settings found for alias.
func (p place) config(alias string, s settings) *Config {
	c := &Config{
		Alias:          alias,
		HostName:       s.first("hostname"),
		Port:           s.first("port"),
		User:           s.first("user"),
		HostKeyAlias:   s.first("hostkeyalias"),
		StrictKeys:     truth(s.first("stricthostkeychecking")),
		HashKnown:      s.yes("hashknownhosts"),
		IdentitiesOnly: s.yes("identitiesonly"),
		BatchMode:      s.yes("batchmode"),
		AddressFamily:  s.first("addressfamily"),
		NoPubkey:       s.no("pubkeyauthentication"),
		NoPassword:     s.no("passwordauthentication"),
		NoQuestions:    s.no("kbdinteractiveauthentication"),
		HostKeyAlgos:   list(s.first("hostkeyalgorithms")),
		Ciphers:        list(s.first("ciphers")),
		KeyExchanges:   list(s.first("kexalgorithms")),
		MACs:           list(s.first("macs")),
	}
	if c.HostName == "" {
		c.HostName = alias
	}
	if c.Port == "" {
		c.Port = "22"
	}
	if c.User == "" {
		c.User = p.user
	}
	if c.StrictKeys == "" {
		c.StrictKeys = "ask"
	}
	c.Timeout = seconds(s.first("connecttimeout"))
	c.Alive = seconds(s.first("serveraliveinterval"))
	c.AliveMax, _ = strconv.Atoi(s.first("serveralivecountmax"))
	c.ProxyJump = list(s.set("proxyjump"))
	t := tokens{place: p, c: c, jump: s.first("proxyjump")}
	// In HostName itself %h is the name that was given.
	c.HostName = t.expand(strings.ReplaceAll(c.HostName, "%h", alias))
	if len(c.ProxyJump) == 0 {
		c.ProxyCommand = t.expand(s.set("proxycommand"))
	}
	if path := s.set("controlpath"); path != "" {
		c.ControlPath = t.file(path)
	}
	c.IdentityFiles, c.CertificateFiles = t.files(s["identityfile"]), t.files(s["certificatefile"])
	for _, v := range slices.Concat(s["userknownhostsfile"], s["globalknownhostsfile"]) {
		c.KnownHosts = append(c.KnownHosts, t.files(strings.Fields(v))...)
	}
	c.Preferred = list(s.first("preferredauthentications"))
	c.PasswordPrompts, _ = strconv.Atoi(s.first("numberofpasswordprompts"))
	c.Needs = p.needs(s)
	c.Agent = p.agentOf(s.first("identityagent"), &t)
	return c
}

func (p place) agentOf(v string, t *tokens) string {
	switch {
	case v == "" || v == "SSH_AUTH_SOCK":
		return p.agent
	case strings.EqualFold(v, "none"):
		return ""
	case strings.HasPrefix(v, "$"):
		return p.env(strings.Trim(v[1:], "{}"))
	}
	return t.file(v)
}

func list(v string) []string {
	if v == "" {
		return nil
	}
	return strings.Split(v, ",")
}

func seconds(v string) time.Duration {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// inHome is a file in the home directory.
func (p place) inHome(elem ...string) string {
	return filepath.Join(append([]string{p.home}, elem...)...)
}

// tokens expands what ssh_config(5) calls TOKENS.
type tokens struct {
	place
	c    *Config
	jump string
}

func (t *tokens) expand(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		b.WriteString(t.token(s[i]))
	}
	return b.String()
}

func (t *tokens) token(c byte) string {
	switch c {
	case '%':
		return "%"
	case 'h':
		return t.c.HostName
	case 'n':
		return t.c.Alias
	case 'p':
		return t.c.Port
	case 'r':
		return t.c.User
	case 'u':
		return t.user
	case 'i':
		return t.uid
	case 'd':
		return t.home
	case 'l':
		return t.name
	case 'L':
		short, _, _ := strings.Cut(t.name, ".")
		return short
	case 'j':
		return t.jump
	case 'k':
		if t.c.HostKeyAlias != "" {
			return t.c.HostKeyAlias
		}
		return t.c.Alias
	case 'C':
		sum := sha1.Sum([]byte(t.name + t.c.HostName + t.c.Port + t.c.User + t.jump)) //nolint:gosec // see above
		return hex.EncodeToString(sum[:])
	}
	return "%" + string(c)
}

// file is a file name: tokens, ${VARIABLES} and ~ expanded, absolute.
func (t *tokens) file(s string) string {
	s = strings.Trim(s, `"`)
	s = t.variables(t.expand(s))
	switch rest, ok := strings.CutPrefix(s, "~/"); {
	case s == "~":
		return t.home
	case ok:
		return t.inHome(rest)
	case !filepath.IsAbs(s):
		return t.inHome(".ssh", s)
	}
	return s
}

// files are the files of names, without "none".
func (t *tokens) files(names []string) []string {
	var files []string
	for _, name := range names {
		if !strings.EqualFold(name, "none") {
			files = append(files, t.file(name))
		}
	}
	return files
}

func (t *tokens) variables(s string) string {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return s
		}
		s = s[:i] + t.env(s[i+2:i+j]) + s[i+j+1:]
	}
}
