package hostconf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Resolver finds configurations. The zero value reads what ssh reads.
type Resolver struct {
	// File is read instead of the user's and the system's configuration.
	File string
	// SSH is the program that is asked; empty: ssh in PATH; "none": none.
	SSH string
}

const askLimit = 10 * time.Second

// Resolve returns how to reach host, which may be USER@HOST or ssh://[USER@]HOST[:PORT].
func (r Resolver) Resolve(ctx context.Context, host string) (*Config, error) {
	if !validName(host) {
		return nil, fmt.Errorf("%q is not a valid host name", host)
	}
	p := thisPlace()
	if r.SSH != "none" {
		c, err := r.ask(ctx, p, host)
		if err == nil || !errors.Is(err, exec.ErrNotFound) {
			return c, err
		}
	}
	return r.read(p, host)
}

// validName refuses what could be taken for something else on the way: an option
// by a program, a command by the shell of a ProxyCommand, a token by ssh, an
// escape sequence by a terminal.
func validName(dest string) bool {
	user, host, port := split(dest)
	for _, part := range []string{dest, user, host, port} {
		if strings.HasPrefix(part, "-") || strings.ContainsAny(part, " '`\"$;&<>|(){}*?!#^") || strings.ContainsFunc(part, unicode.IsControl) {
			return false
		}
	}
	// Users of a Windows domain have a backslash in their names.
	if strings.Contains(host+port, `\`) || strings.HasSuffix(user, `\`) {
		return false
	}
	address, zone, hasZone := strings.Cut(host, "%")
	if validZone := zone != "" && !strings.Contains(zone, "%"); hasZone && !validZone {
		return false
	}
	if hasZone && !strings.Contains(address, ":") {
		return false // only an address has a zone
	}
	return host != "" && !strings.Contains(user, "%")
}

// ask runs ssh -G, which also runs the commands of `Match exec`, as ssh would.
func (r Resolver) ask(ctx context.Context, p place, host string) (*Config, error) {
	name := r.SSH
	if name == "" {
		name = "ssh"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	args := []string{"-G"}
	if r.File != "" {
		args = append(args, "-F", r.File)
	}
	cmd := exec.CommandContext(ctx, path, append(args, Arguments(host)...)...)
	cmd.WaitDelay = time.Second
	var stderr shell.Tail
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	cause := context.Cause(ctx)
	switch {
	case err == nil:
	case errors.Is(cause, context.DeadlineExceeded): // it was killed, whatever it has printed
		return nil, errors.New("ssh -G: no answer in time")
	case cause != nil:
		return nil, cause
	default:
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, fmt.Errorf("ssh -G: %s", text)
		}
		return nil, fmt.Errorf("ssh -G: %w", err)
	}
	_, alias, _ := split(host)
	c := p.config(alias, parseDump(string(out)))
	c.Source = "ssh -G"
	return c, nil
}

// parseDump reads the output of ssh -G: a line each, name and value.
func parseDump(out string) settings {
	s := settings{}
	for line := range strings.Lines(out) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if ok {
			name = strings.ToLower(name)
			s[name] = append(s[name], value)
		}
	}
	return s
}

// Arguments returns a destination as the last arguments of the ssh program. ssh does not accept a
// URL with an address in brackets.
func Arguments(dest string) []string {
	if !strings.HasPrefix(dest, "ssh://") {
		return []string{"--", dest}
	}
	var args []string
	user, host, port := split(dest)
	if user != "" {
		args = append(args, "-l", user)
	}
	if port != "" {
		args = append(args, "-p", port)
	}
	return append(args, "--", host)
}

// split takes a destination apart as ssh does.
func split(dest string) (user, host, port string) {
	if rest, ok := strings.CutPrefix(dest, "ssh://"); ok {
		dest = strings.TrimSuffix(rest, "/")
		if i := strings.LastIndexByte(dest, ':'); i >= 0 && !strings.HasSuffix(dest, "]") {
			dest, port = dest[:i], dest[i+1:]
		}
	}
	if i := strings.LastIndexByte(dest, '@'); i >= 0 {
		user, dest = dest[:i], dest[i+1:]
	}
	return user, strings.Trim(dest, "[]"), port
}

// Jump is the destination of one hop of ProxyJump as Resolve takes it.
func Jump(hop string) string {
	if strings.HasPrefix(hop, "ssh://") {
		return hop
	}
	host := hop
	if i := strings.LastIndexByte(hop, '@'); i >= 0 {
		host = hop[i+1:]
	}
	if strings.Contains(host, ":") {
		return "ssh://" + hop
	}
	return hop
}

// needs names the options that only the ssh program can serve. Those that would
// only make a connection faster or nicer are not among them.
func (p place) needs(s settings) []string {
	var names []string
	// Each of these decides which keys are used or trusted, or the way there.
	for _, name := range []string{"PKCS11Provider", "KnownHostsCommand", "RevokedHostKeys", "BindAddress", "BindInterface"} {
		if s.set(strings.ToLower(name)) != "" {
			names = append(names, name)
		}
	}
	for _, name := range []string{"HostbasedAuthentication", "ProxyUseFdpass", "VerifyHostKeyDNS"} {
		if s.yes(strings.ToLower(name)) {
			names = append(names, name)
		}
	}
	// Distributions enable it by default: it matters only to users with a ticket.
	if s.yes("gssapiauthentication") && p.ticket() {
		names = append(names, "GSSAPIAuthentication")
	}
	if unknownToken(s.set("proxycommand")) {
		names = append(names, "ProxyCommand")
	}
	return names
}

// ticket reports whether there seems to be a Kerberos ticket.
func (p place) ticket() bool {
	if p.env("KRB5CCNAME") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(os.TempDir(), "krb5cc_"+p.uid))
	return err == nil
}

// unknownToken reports whether s has a token that is not expanded here.
func unknownToken(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if i++; (&tokens{c: &Config{}}).token(s[i]) == s[i-1:i+1] {
			return true
		}
	}
	return false
}
