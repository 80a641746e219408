package campaign

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool/stage"
	"github.com/hobjobs/hob/internal/vt"
)

// A world is a stage and everything that a campaign starts on it. It may be used
// by several rounds at once.
type world struct{ *stage.Stage }

func newWorld(t *testing.T) *world { return &world{stage.New(t, "worker", "daemon")} }

// job is a job as hob reports it.
type job struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Status    string           `json:"status"`
	Reason    *string          `json:"reason"`
	Code      *int             `json:"exit_code"`
	Signal    *string          `json:"signal"`
	EndedAt   *string          `json:"ended_at"`
	Survivors []record.Process `json:"survivors"`
}

func (j job) finished() bool {
	return !slices.Contains([]string{"queued", "starting", "running", "stopping"}, j.Status)
}

func (j job) String() string {
	data, err := json.Marshal(j)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// list runs hob list; it must always work.
func (w *world) list() ([]job, error) {
	out, _, err := w.Ask("list", "--json")
	if err != nil {
		return nil, err
	}
	var jobs []job
	if err := json.Unmarshal([]byte(out), &jobs); err != nil {
		return nil, fmt.Errorf("list --json: %w: %q", err, out)
	}
	return jobs, nil
}

// find asks a new client for the job called name; there may be none.
func (w *world) find(name string) (found job, ok bool, err error) {
	jobs, err := w.list()
	for _, j := range jobs {
		if j.Name == name {
			if ok {
				return j, true, fmt.Errorf("two jobs are called %s", name)
			}
			found, ok = j, true
		}
	}
	return found, ok, err
}

// holder returns the holder of the job called name, from the moment that the holder has its
// configuration.
func (w *world) holder(name string) (proc.Identity, bool) {
	dirs, _ := filepath.Glob(filepath.Join(w.State, "jobs", name+"-*"))
	for _, dir := range dirs {
		if st, err := jobdir.ReadState(dir); err == nil && st.Holder.PID != 0 {
			return st.Holder, true
		}
		for _, p := range w.processes() {
			if filepath.Base(p.args[0]) == proc.HolderName && len(p.args) > 1 && strings.TrimSpace(p.args[1]) == filepath.Base(dir) {
				if id, err := proc.IdentityOf(p.pid); err == nil {
					return id, true
				}
			}
		}
	}
	return proc.Identity{}, false
}

type process struct {
	pid  int
	args []string
}

func (p process) String() string { return fmt.Sprintf("%d %q", p.pid, p.args) }

// processes returns the other processes of this program.
func (w *world) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		if exe, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || exe != w.Exe {
			continue
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err == nil && len(line) > 0 {
			found = append(found, process{pid, strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")})
		}
	}
	return found
}

// sockets returns the sockets that holders created.
func (w *world) sockets() (found []string) {
	_ = filepath.WalkDir(w.Runtime, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSocket != 0 {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// A screen is a terminal with hob on it.
type screen struct {
	cmd   *exec.Cmd
	ptmx  *os.File
	ended chan struct{} // closed when the program and the reader have ended

	mu       sync.Mutex
	emulator *vt.Terminal // guarded by mu
}

// text returns what the terminal shows.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.Text()
}

// resize changes the size of the terminal; its program gets SIGWINCH.
func (s *screen) resize(cols, rows int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emulator.Resize(cols, rows)
	return pty.Setsize(s.ptmx, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// show runs cmd on a terminal that answers queries as real terminals do.
func show(cmd *exec.Cmd) (*screen, error) {
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		return nil, err
	}
	s := &screen{cmd: cmd, ptmx: ptmx, ended: make(chan struct{})}
	s.emulator = vt.New(100, 30, vt.WithReply(func(p []byte) { _, _ = ptmx.Write(p) }))
	read := make(chan struct{})
	go func() { // until the terminal is closed or no process uses it
		defer close(read)
		buf := make([]byte, 32<<10)
		for {
			n, err := ptmx.Read(buf)
			if err != nil {
				return
			}
			s.mu.Lock()
			_, _ = s.emulator.Write(buf[:n])
			s.mu.Unlock()
		}
	}()
	go func() {
		_ = cmd.Wait()
		<-read
		close(s.ended)
	}()
	return s, nil
}

// kill kills the program; close closes its terminal.
func (s *screen) kill()  { _ = s.cmd.Process.Signal(syscall.SIGKILL) }
func (s *screen) close() { s.ptmx.Close() }
