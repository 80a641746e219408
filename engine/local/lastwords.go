package local

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// A holder's standard error is the lock of its job: what the Go runtime says when
// it fails, the trace of one goroutine, is all that ever stands there. One of an
// earlier version wrote it to holderLog.
const holderLog = "holder.log"

// lastWords is the first line that the dead holder of the job in dir has left, cut
// to what a person reads; empty if it left none.
func lastWords(dir string) string {
	for _, name := range []string{jobdir.LockFile, holderLog} {
		if said := firstLine(filepath.Join(dir, name)); said != "" {
			return said
		}
	}
	return ""
}

func firstLine(path string) string {
	f, err := plainfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxDescription))
	if !lines.Scan() {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(lines.Text()), "")
}
