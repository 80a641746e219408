package client

import (
	"slices"

	"golang.org/x/crypto/ssh"
)

// known is what of the configuration's list is implemented here; nil, the
// default, if there is nothing in common: a host that insists will say so.
func known(asked, implemented []string) []string {
	var out []string
	for _, name := range asked {
		if slices.Contains(implemented, name) {
			out = append(out, name)
		}
	}
	return out
}

func ciphers() []string {
	return slices.Concat(ssh.SupportedAlgorithms().Ciphers, ssh.InsecureAlgorithms().Ciphers)
}

func exchanges() []string {
	return slices.Concat(ssh.SupportedAlgorithms().KeyExchanges, ssh.InsecureAlgorithms().KeyExchanges)
}

func macs() []string {
	return slices.Concat(ssh.SupportedAlgorithms().MACs, ssh.InsecureAlgorithms().MACs)
}
