//go:build linux

// Command hobbench measures hob beside the floors and beside tmux where it does
// the same, in one run, interleaved. It prints a table; it never fails because
// something was slow. See bench/README.md for what each measure means.
//
//	hobbench [--short] [M1 M2 …]
//
// Everything happens below a temporary directory, with a state root, sockets
// and settings of its own, and only processes that it started are ended.
package main
