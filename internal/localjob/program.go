package localjob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Exit codes of a command that could not be started, as in shells.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

const shell = "/bin/sh"

// maxScript is the maximum length of a script passed as an argument: kernels limit the size of a
// single one (Linux to 128 KiB).
const maxScript = 96 << 10

// scriptFile is the file for a longer script in the job directory.
const scriptFile = "script"

// commandLine returns the argument vector to execute for a job whose directory is dir.
func commandLine(dir string, command []string, script string) ([]string, error) {
	switch {
	case len(command) > 0:
		return command, nil
	case len(script) <= maxScript:
		return []string{shell, "-c", script}, nil
	}
	path := filepath.Join(dir, scriptFile)
	return []string{shell, path}, os.WriteFile(path, []byte(script), 0o600)
}

// findProgram finds a program as the job's shell would: a name with a slash relative to dir, any
// other in the PATH of env.
func findProgram(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", syscall.ENOENT
	}
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}
	list := "/usr/local/bin:/usr/bin:/bin"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			list = v
		}
	}
	var found error = syscall.ENOENT
	for d := range strings.SplitSeq(list, ":") {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		path := filepath.Join(d, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, syscall.EACCES) {
			found = err // remembered, as shells do: a later directory may have it
		}
	}
	return "", found
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES
	case errors.Is(err, syscall.ENAMETOOLONG):
		return syscall.ENAMETOOLONG
	case err != nil:
		return syscall.ENOENT
	case info.IsDir() || info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// startFailure returns the exit code and the message for a command that could not be executed.
func startFailure(what string, err error) (code int, text string) {
	code = codeNotExecutable
	if errors.Is(err, syscall.ENOENT) {
		code = codeNotFound
		if missing, ok := errors.AsType[*interpreterError](err); ok {
			return code, what + ": " + missing.Error()
		}
		if !strings.Contains(what, "/") {
			return code, what + ": command not found"
		}
	}
	return code, what + ": " + errorText(err)
}

// errorText returns the text of an error without the name of the system call.
func errorText(err error) string {
	errno, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok:
		return err.Error()
	case errno == syscall.EAGAIN: // from fork
		return errno.Error() + ": too many processes (see ulimit -u)"
	}
	return errno.Error()
}

// interpreterError means that a program exists, but its interpreter cannot be executed.
type interpreterError struct {
	name string // empty if it is not a script or cannot be read
	err  error
}

func (e *interpreterError) Error() string {
	if e.name == "" {
		return "its interpreter or loader: " + errorText(e.err)
	}
	// Quoted, because the usual cause is a carriage return at its end.
	return "its interpreter " + strconv.Quote(e.name) + ": " + errorText(e.err)
}

func (e *interpreterError) Unwrap() error { return e.err }

// interpreterOf returns the interpreter named in the first line of the script at path, or "" if
// there is none.
func interpreterOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256) // as much as the kernel examines
	n, _ := io.ReadFull(f, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	rest = strings.Trim(rest, " \t")
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
