package campaign

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

var outputSize = flag.Int64("campaign.output", 50, "how many million bytes one job prints")

// logSlack is what the disk may have beside the log of a job: its records, and what the holder writes
// before it frees the beginning.
const logSlack = 4 << 20

// TestMuchOutput prints much more than the log limit. The disk never has more than that, and what is
// left is the beginning and the end of the output.
func TestMuchOutput(t *testing.T) {
	const limit, width = 8 << 20, 100 // bytes of a line with its end
	for _, kind := range []string{"pty", "file"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			lines := *outputSize * 1_000_000 / width
			digits := width - len("line ") - len("\n")
			if kind == "pty" {
				digits-- // the terminal adds a carriage return
			}
			script := fmt.Sprintf(`awk 'BEGIN { for (i = 0; i < %d; i++) printf "line %%0%dd\n", i }'`, lines, digits)
			args := []string{"run", "-b", "--log-limit", strconv.Itoa(limit), "-c", script}
			if kind == "file" {
				args = append(args, "--no-pty")
			}
			id := w.Must(t, args...)
			dir := filepath.Join(w.State, "jobs", id)
			var most int64
			var j job
			for late := time.Now().Add(10*time.Second + time.Duration(*outputSize)*time.Second); ; time.Sleep(20 * time.Millisecond) {
				most = max(most, diskUse(dir))
				var err error
				if j, _, err = w.findID(id); err != nil {
					t.Fatal(err)
				}
				if j.finished() {
					break
				}
				if time.Now().After(late) {
					w.Must(t, "kill", id)
					t.Fatal("the job does not end")
				}
			}
			if text(j.Code) != " 0" {
				t.Fatalf("%v", j)
			}
			if kind == "file" {
				t.Logf("%d bytes of the disk at most", most)
				most = diskUse(dir) // it writes the file itself, until its holder looks again
			}
			if most > limit+logSlack {
				t.Errorf("the job took %d bytes of the disk, for a limit of %d", most, limit)
			}
			line := func(n int64) string { return fmt.Sprintf("line %0*d", digits, n) }
			if got, want := w.Must(t, "log", "-n", "2", id), line(lines-2)+"\n"+line(lines-1); got != want {
				t.Errorf("the end is %q, want %q", got, want)
			}
			if got := w.Must(t, "log", "--filter", fmt.Sprintf("line 0*%d$", lines-1000), id); !strings.HasSuffix(got, "dropped …]\n"+line(lines-1000)) {
				t.Errorf("found %q", got)
			}
			if err := checkKept(w.Must(t, "log", "--raw", id), lines, line); err != nil {
				t.Error(err)
			}
			held := func(p process) bool { return slices.Contains(p.args, id) } // the other job's may remain
			if err := stage.Eventually("its holder is gone", func() bool { return !slices.ContainsFunc(w.processes(), held) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkKept checks that a log has a beginning and the end of the lines, with one gap: it may cut one line
// on either side.
func checkKept(log string, lines int64, line func(n int64) string) error {
	kept := strings.Split(strings.ReplaceAll(strings.TrimSuffix(log, "\n"), "\r", ""), "\n")
	next, gap := int64(0), -1
	for i, l := range kept {
		switch {
		case l == line(next):
			next++
		case gap < 0: // cut: the rest is the end of the lines
			gap, next = i, lines-int64(len(kept)-i-1)
		default:
			return fmt.Errorf("line %d of %d is %q, want %q, the gap is at %d", i, len(kept), l, line(next), gap)
		}
	}
	if gap < 1<<20/len(line(0))/2 || next != lines {
		return fmt.Errorf("%d lines, the gap is at %d, the last one is %d of %d", len(kept), gap, next-1, lines-1)
	}
	return nil
}

// findID asks a new client for a job.
func (w *world) findID(id string) (job, bool, error) {
	jobs, err := w.list()
	for _, j := range jobs {
		if j.ID == id {
			return j, true, err
		}
	}
	return job{}, false, err
}

// diskUse returns the bytes that the files of a directory take on the disk, without holes.
func diskUse(dir string) (used int64) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed meanwhile
		}
		info, err := os.Lstat(path)
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			used += st.Blocks * 512
		}
		return nil
	})
	return used
}
