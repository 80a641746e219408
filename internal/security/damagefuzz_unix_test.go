//go:build unix

package security

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// FuzzJobDirectory reads a job directory with any content in its files, one of which may be
// something else than a file, beside another job. The clients run concurrently, so which code a run
// reaches varies: use it with -fuzzminimizetime 1x.
func FuzzJobDirectory(f *testing.F) {
	names := []string{
		jobdir.MetaFile, jobdir.StateFile, jobdir.ExitCodeFile, jobdir.OutputFile, jobdir.EventsFile, jobdir.TimesFile, "screen", jobdir.LockFile,
	}
	state := wholeState(wholeEnd)
	f.Add([]byte(wholeMeta), []byte(state), []byte("3\n"), []byte(wholeLog), []byte(wholeEvents), []byte("\x02\x00\x00P\x18"), []byte(wholeScreen), byte(255))
	f.Add([]byte(wholeMeta), []byte(""), []byte("0\n"), []byte(wholeLog), []byte(""), []byte(""), []byte(""), byte(255))
	f.Add([]byte(`{"version":1}`), []byte("{}"), []byte("256\n"), []byte(""), []byte("{}\n"), []byte("x"), []byte("{}\n"), byte(1))
	f.Add([]byte(wholeMeta), []byte(wholeState("")), []byte(""), []byte(wholeLog), []byte(wholeEvents), []byte(""), []byte(wholeScreen), byte(10))
	dir := f.TempDir()
	if err := wholeJob().create(filepath.Join(dir, "jobs", "healthy-22222")); err != nil {
		f.Fatal(err)
	}
	r := newReaders(f, dir)
	var made atomic.Int64 // clients keep what they know about an id
	f.Fuzz(func(t *testing.T, meta, state, code, output, events, times, screen []byte, other byte) {
		files := jobFiles{}
		for i, content := range [][]byte{meta, state, code, output, events, times, screen, nil} {
			files[names[i]] = text(string(content))
		}
		name := names[int(other)%len(names)]
		switch int(other) / len(names) {
		case 0:
			files[name] = nil
		case 1:
			files[name] = pipe
		case 2:
			files[name] = link("{}")
		case 3:
			files[name] = directory
		}
		id := engine.ID(fmt.Sprint("bad-", made.Add(1)))
		bad := filepath.Join(dir, "jobs", string(id))
		defer os.RemoveAll(bad)
		_ = os.Remove(filepath.Join(dir, "index"))
		if err := files.create(bad); err != nil {
			t.Fatal(err)
		}
		jobs := r.list(t)
		if healthy := jobs["healthy-22222"]; outcomeOf(healthy) != (known{engine.Exited, 3}) {
			t.Errorf("the other job is %v", outcomeOf(healthy))
		}
		j, ok := jobs[id]
		if !ok {
			if files[jobdir.MetaFile] != nil {
				t.Error("not listed")
			}
			return
		}
		j = r.settled(t, j)
		damage{files: files}.check(t, j, bad)
		if j.Host == "" { // a host would be asked
			r.read(t, j)
			r.pane.program.Send(selectMsg(id)) // it may be gone before it is drawn
		}
	})
}
