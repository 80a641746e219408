package local

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
)

// holderLog is where what a holder says when it fails goes, in the job directory.
// Only the Go runtime writes there, the trace of one goroutine. A holder that ends
// as it should removes it.
const holderLog = "holder.log"

// lastWords is the first line that the dead holder of the job in dir has left, cut
// to what a person reads; empty if it left none.
func lastWords(dir string) string {
	f, err := plainfile.Open(filepath.Join(dir, holderLog))
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
