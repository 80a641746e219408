package ssh

import (
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// RunsHere reports whether the job of r runs where this program does: its own sh can be
// asked about it, with whatever name of a host it was started. So it is on a host that
// has the state root of the client, because both have the same home directory or are the
// same machine: there the directory of the record has the files of the job's wrapper.
// When it has ended those files are all there is, and any machine that has them will do.
func RunsHere(r engine.Record) bool {
	if r.Job.Host == "" {
		return true
	}
	place := wordsOf(r, jobdir.PlaceFile)
	if len(place) > 0 && r.Job.Status.Finished() {
		return true
	}
	if len(place) < 3 || place[len(place)-1] != proc.PIDNamespace() {
		return false
	}
	wrapper := wordsOf(r, "wrapper")
	return len(wrapper) >= 3 && wrapper[2] == proc.BootID()
}

// ownDir reports whether the directory of the record is that of the job on its host.
func ownDir(r engine.Record) bool { return r.Job.Host == "" || jobdir.HasWrapper(r.Dir) }

// wordsOf are the words in the first line of a file in the directory of the record.
func wordsOf(r engine.Record, name string) []string {
	data, err := plainfile.Read(filepath.Join(r.Dir, name), maxLine)
	if err != nil {
		return nil
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.Fields(line)
}

const maxLine = 4 << 10

// hostOf returns the actor that a job is asked about.
func (b *Backend) hostOf(r engine.Record) *host { return b.host(hostName(r)) }

func hostName(r engine.Record) string {
	if RunsHere(r) {
		return "" // the sh of this machine
	}
	return r.Job.Host
}
