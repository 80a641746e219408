package hostconf

import (
	"os"
	"path/filepath"
	"strings"
)

// needs names the options that only the ssh program can serve. Those that would
// only make a connection faster or nicer are not among them.
func (p place) needs(s settings) []string {
	var names []string
	set := func(name string) bool {
		v := s.first(strings.ToLower(name))
		return v != "" && !strings.EqualFold(v, "none")
	}
	// Each of these decides which keys are used or trusted, or the way there.
	for _, name := range []string{"PKCS11Provider", "KnownHostsCommand", "RevokedHostKeys", "BindAddress", "BindInterface"} {
		if set(name) {
			names = append(names, name)
		}
	}
	for _, name := range []string{"HostbasedAuthentication", "ProxyUseFdpass", "VerifyHostKeyDNS"} {
		if s.yes(strings.ToLower(name)) {
			names = append(names, name)
		}
	}
	// Distributions switch it on for everybody: it matters to who has a ticket.
	if s.yes("gssapiauthentication") && p.ticket() {
		names = append(names, "GSSAPIAuthentication")
	}
	if cmd := s.first("proxycommand"); set("ProxyCommand") && unknownToken(cmd) {
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
		if i++; !strings.ContainsRune("%hnpruidlLjkC", rune(s[i])) {
			return true
		}
	}
	return false
}
