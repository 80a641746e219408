// Package recipe is what runs on a host: a job's wrapper, and the requests of a
// client, as POSIX shell scripts sent over a [shell.Session]. Nothing is
// installed there; each job directory carries its own copy of the wrapper.
//
// The scripts are common.sh (shared), run.sh and tty.sh (the wrapper) and serve.sh
// (the requests). All variables of theirs begin with h_, so that none of the job's
// own is touched. User text reaches them only as octal escapes in printf formats
// or in single quotes, never as something that a shell parses.
//
// docs/remote-layout.md describes the files of a job directory on a host.
package recipe
