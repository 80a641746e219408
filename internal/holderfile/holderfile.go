// Package holderfile finds and checks files of the program hob-holder, which hob copies to hosts.
package holderfile

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// program is the import path of hob-holder, which Go records in it.
const program = "github.com/hobjobs/hob/cmd/hob-holder"

// System is what a program runs on, as Go names it.
type System struct{ OS, Arch string }

func (s System) String() string { return s.OS + "/" + s.Arch }

// FileName returns the name that the hob-holder for s has beside programs for other systems, as in releases.
func (s System) FileName() string { return proc.HolderName + "-" + s.OS + "-" + s.Arch }

// SystemOf returns the system whose uname -s -m prints text. It reports false for one that is not known
// here.
func SystemOf(text string) (System, bool) {
	name, machine, _ := strings.Cut(text, " ")
	goos := map[string]string{"Linux": "linux", "Darwin": "darwin"}[name]
	goarch := map[string]string{
		"x86_64":  "amd64",
		"amd64":   "amd64",
		"aarch64": "arm64",
		"arm64":   "arm64",
		"i686":    "386",
		"i586":    "386",
		"armv7l":  "arm",
		"armv6l":  "arm",
		"ppc64le": "ppc64le",
		"s390x":   "s390x",
		"riscv64": "riscv64",
	}[machine]
	return System{goos, goarch}, goos != "" && goarch != ""
}

// File is a file hob-holder.
type File struct {
	Path   string
	Build  string // of hob; empty: unknown
	System System
	Size   int64
	Sum    string // SHA-256, in hexadecimal
}

// Find returns the path of the hob-holder for system in the directory of this program:
// hob-holder-OS-ARCH, or hob-holder for the system that this program runs on. The error is
// [fs.ErrNotExist] if there is none.
func Find(system System) (string, error) {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil {
		return "", err
	}
	names := []string{system.FileName()}
	if system == (System{runtime.GOOS, runtime.GOARCH}) {
		names = append(names, proc.HolderName)
	}
	dir := filepath.Dir(own)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, plainfile.CheckPath(path)
		}
	}
	return "", fmt.Errorf("%w: %s in %s", fs.ErrNotExist, strings.Join(names, " or "), dir)
}

// Open opens the file at path, checks that it is a hob-holder and returns what it is.
func Open(path string) (*os.File, File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, File{}, err
	}
	about, err := inspect(f)
	if err != nil {
		return nil, File{}, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	about.Path = path
	return f, about, nil
}

var errNotHolder = errors.New("is not the program hob-holder")

// inspect reads f and returns to its beginning.
func inspect(f *os.File) (File, error) {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return File{}, err
	case !fi.Mode().IsRegular():
		return File{}, errNotHolder
	}
	info, err := buildinfo.Read(f)
	if err != nil || info.Path != program {
		return File{}, errNotHolder
	}
	about := File{Build: build.Of(info)}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			about.System.OS = s.Value
		case "GOARCH":
			about.System.Arch = s.Value
		}
	}
	sum := sha256.New()
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return File{}, err
	}
	if about.Size, err = io.Copy(sum, f); err != nil {
		return File{}, err
	}
	about.Sum = hex.EncodeToString(sum.Sum(nil))
	_, err = f.Seek(0, io.SeekStart)
	return about, err
}

// Name is the name of the directory in which a host keeps the program: its build, or else the
// beginning of its sum.
func (f File) Name() string {
	if f.Build == "" {
		return f.Sum[:12]
	}
	return f.Build
}
