package jobdir

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

const (
	linksName = "links"
	maxLink   = 4 << 10
)

func linkFile(root, host string) string {
	return filepath.Join(root, linksName, "to-"+url.PathEscape(host))
}

// NoteLink notes in the state root that host could not be reached, and why; an empty
// reason says that it was.
func NoteLink(root, host, reason string) error {
	file := linkFile(root, host)
	if reason == "" {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, []byte(reason[:min(len(reason), maxLink)]))
}

// LinkNote is why host could not be reached the last time that was tried; empty if it
// was reached then.
func LinkNote(root, host string) string {
	data, err := plainfile.Read(linkFile(root, host), maxLink)
	if err != nil {
		return ""
	}
	return string(data)
}
