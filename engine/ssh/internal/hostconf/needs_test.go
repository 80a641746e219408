package hostconf

import (
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	t.Setenv("KRB5CCNAME", "")
	t.Setenv("TMPDIR", t.TempDir())
	file := write(t, t.TempDir(), "config", `
Host plain
  ProxyCommand nc %h %p
  GSSAPIAuthentication yes
Host card
  PKCS11Provider /usr/lib/card.so
Host revoked
  RevokedHostKeys /etc/revoked
Host command
  KnownHostsCommand /bin/keys %H
Host dns
  VerifyHostKeyDNS yes
Host hostbased
  HostbasedAuthentication yes
Host passed
  ProxyUseFdpass yes
  ProxyCommand connect %h
Host bound
  BindAddress 127.0.0.1
`)
	for host, want := range map[string]string{
		"plain": "", "card": "PKCS11Provider", "revoked": "RevokedHostKeys", "command": "KnownHostsCommand", "dns": "VerifyHostKeyDNS",
		"hostbased": "HostbasedAuthentication", "passed": "ProxyUseFdpass", "bound": "BindAddress", "other": "",
	} {
		for way, c := range both(t, file, host) {
			if got := strings.Join(c.Needs, " "); got != want {
				t.Errorf("%s by %s needs %q, want %q", host, way, got, want)
			}
		}
	}
	t.Setenv("KRB5CCNAME", "KCM:")
	for way, c := range both(t, file, "plain") {
		if got := strings.Join(c.Needs, " "); got != "GSSAPIAuthentication" {
			t.Errorf("with a ticket, by %s: needs %q", way, got)
		}
	}
	if c, err := (Resolver{File: write(t, t.TempDir(), "config", "ProxyCommand x %T\n"), SSH: "none"}).Resolve(t.Context(), "a"); err != nil || len(c.Needs) != 1 {
		t.Errorf("a token that is not known here: %+v, %v", c, err)
	}
}

// Settings that determine the way to a host and its identity must not be lost between the two.
func TestReaderAgreesWithSSHOnLogins(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "config", `
Host a b
  PreferredAuthentications password,publickey
  NumberOfPasswordPrompts 1
  HostKeyAlias other
  IdentityAgent none
  IdentitiesOnly yes
  CertificateFile `+dir+`/cert
Host six
  HostName ::1
  AddressFamily inet6
Match originalhost b
  User bob
Host *
  User me
  HashKnownHosts yes
  BatchMode yes
`)
	show := func(c *Config) string {
		return strings.Join([]string{c.User, c.Address(), c.KeyAddress(), strings.Join(c.Preferred, "+"), strings.Join(c.CertificateFiles, "+"), c.AddressFamily, c.Agent}, " ")
	}
	for host, want := range map[string]string{
		"a":   "me a:22 other:22 password+publickey " + dir + "/cert any ",
		"b":   "bob b:22 other:22 password+publickey " + dir + "/cert any ",
		"six": "me [::1]:22 [::1]:22   inet6 /agent",
	} {
		t.Setenv("SSH_AUTH_SOCK", "/agent")
		for way, c := range both(t, file, host) {
			if c.AddressFamily == "" {
				c.AddressFamily = "any"
			}
			if got := show(c); got != want || !c.HashKnown || !c.BatchMode || c.PasswordPrompts != map[bool]int{true: 1, false: c.PasswordPrompts}[host != "six"] {
				t.Errorf("%s by %s: %q, want %q (%+v)", host, way, got, want, c)
			}
		}
	}
}

func TestHostileNamesAreRefused(t *testing.T) {
	for _, host := range []string{
		"", "-oProxyCommand=x", "-", "a b", "a\nb", "a\x00b", "me@-oProxyCommand=x", "ssh://-x", "%h", "a%p", "$(x)", "`x`", "a;b", "a|b", "'a", `a"b`, "a\\b",
		"a\x7fb", "\x1b[2Ja", "ssh://me@-x:22", "-l@a",
	} {
		for _, r := range []Resolver{{}, {SSH: "none"}} {
			if c, err := r.Resolve(t.Context(), host); err == nil {
				t.Errorf("%q: %+v", host, c)
			}
		}
	}
	for _, host := range []string{"web1", "me@web1.example", "ssh://me@web1:22", "[::1]", "fe80::1%eth0", `DOMAIN\me@web1`, "größe.example", "web_1", "first.last@web1", "a@b@web1"} {
		if _, err := (Resolver{SSH: "none", File: write(t, t.TempDir(), "config", "")}).Resolve(t.Context(), host); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
}
