// Package shell talks to a POSIX sh somewhere: on a host behind a connection or
// on this machine.
//
// A [Transport] starts `exec sh` and gives its standard input and output as a
// [Channel]. A [Session] is such a channel used for one request after the other:
// each is a piece of script, run in a subshell, and the answer is what that
// prints. The login shell parses nothing but the two words `exec sh`; what it or
// its start-up files print is told apart from answers by a random number in the
// line that closes each answer.
package shell
