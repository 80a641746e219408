// Package sshtest is SSH servers for tests: one in the test's own process, with
// the manners of OpenSSH or of dropbear and with faults on demand, a bad network
// before any of them, and the real ones where they are installed. Each has its own
// keys, and a client configuration that leads to it and to nothing else.
package sshtest
