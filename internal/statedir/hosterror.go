package statedir

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

func hostErrorFile(root, host string) string {
	return filepath.Join(root, linksName, "to-"+url.PathEscape(host))
}

// RecordHostError records in the state directory why host could not be reached. An empty
// reason removes the record.
func RecordHostError(root, host, reason string) error {
	file := hostErrorFile(root, host)
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

// HostError returns the reason that was recorded for host, empty if the last connection
// succeeded.
func HostError(root, host string) string {
	data, err := plainfile.Read(hostErrorFile(root, host), maxLink)
	if err != nil {
		return ""
	}
	return string(data)
}
