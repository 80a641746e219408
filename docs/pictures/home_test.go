//go:build unix

package pictures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/vt"
)

// home is where scenes are played: a home directory with the commands of the jobs, and
// a hob that is this program.
type home struct {
	dir, runtime string
	haste        bool // what passes with time only is left out
}

const settings = "[theme]\nname = \"dark\"\n"

// newHome makes a home without jobs.
func newHome() (_ *home, err error) {
	h := &home{}
	if h.dir, err = os.MkdirTemp("", "pictures"); err != nil {
		return nil, err
	}
	if h.runtime, err = os.MkdirTemp("", "hob"); err != nil { // sockets need a short path
		return nil, errors.Join(err, os.RemoveAll(h.dir))
	}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{"bin", "src/shop", ".config/hob"} {
		if err := os.MkdirAll(filepath.Join(h.dir, dir), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(h.dir, ".config/hob/config.toml"), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	for _, name := range []string{"hob", "vite"} {
		if err := os.Symlink(exe, filepath.Join(h.dir, "bin", name)); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"npm", "terraform", "docker", "pytest", "python", "make", "go"} {
		if err := testtool.WriteProgram(filepath.Join(h.dir, "bin", name), demo); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// hob is a hob of the home, not yet started.
func (h *home) hob(args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: filepath.Join(h.dir, "bin", "hob"), Args: append([]string{"hob"}, args...), Dir: filepath.Join(h.dir, "src/shop"),
		Env: []string{
			"HOME=" + h.dir, "XDG_RUNTIME_DIR=" + h.runtime, "PATH=" + filepath.Join(h.dir, "bin") + ":" + os.Getenv("PATH"),
			"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/sh", "TZ=UTC",
		},
	}
}

// close ends the jobs and removes the home.
func (h *home) close() {
	if ids, err := h.hob("list", "--running", "-q").Output(); err == nil && len(ids) > 0 {
		_ = h.hob(append([]string{"kill", "--grace", "0s"}, strings.Fields(string(ids))...)...).Run()
	}
	for range 20 { // a holder may still write its last line
		if os.RemoveAll(h.dir) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	_ = os.RemoveAll(h.runtime)
}

// start starts jobs, and returns once the last of them needs input, so that a scene
// begins without notices.
func (h *home) start(ctx context.Context, jobs [][]string) error {
	for i, args := range jobs {
		if i > 0 && !h.haste {
			time.Sleep(apart)
		}
		if out, err := h.hob(args...).CombinedOutput(); err != nil {
			return fmt.Errorf("hob %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	for len(jobs) > 0 {
		out, err := h.hob("status", "--json", "@").Output()
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("it never waits for input: %s", out)
		case waiting.Match(out):
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

var waiting = regexp.MustCompile(`"waiting_for_input":\s*true`)

// play runs a scene and returns its frames: the screen that each step found.
func (h *home) play(ctx context.Context, s scene) ([]frame, error) {
	if err := h.start(ctx, s.before); err != nil {
		return nil, err
	}
	cmd := h.hob(s.args...)
	if s.shell {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-i"}
		cmd.Env = append(cmd.Env, "PS1="+prompt)
	}
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(s.cols), Rows: uint16(s.rows)})
	if err != nil {
		return nil, err
	}
	st := &stage{screen: vt.New(s.cols, s.rows, vt.WithReply(func(p []byte) { _, _ = ptmx.Write(p) }))}
	var reader sync.WaitGroup
	reader.Go(func() { st.draw(ptmx) })
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGHUP) // an interactive shell ignores SIGTERM
		_ = cmd.Wait()                         // by a signal, or not: it is over
		_ = ptmx.Close()
		reader.Wait()
	}()
	var frames []frame
	for _, step := range s.steps {
		if err := st.await(ctx, step.sees); err != nil {
			return nil, err
		}
		if step.watch > 0 && !h.haste {
			time.Sleep(step.watch)
			if err := st.await(ctx, step.sees); err != nil {
				return nil, err
			}
		}
		frames = append(frames, frame{st.image(), step.caption, step.hold})
		st.expectChange()
		if _, err := io.WriteString(ptmx, step.keys); err != nil {
			return nil, err
		}
	}
	return frames, nil
}

// stage is the screen that a hob draws on.
type stage struct {
	mu     sync.Mutex
	screen *vt.Terminal
	drawn  time.Time // when it last changed, or keys were typed
	over   bool      // hob has ended
}

// draw feeds the screen until the terminal is closed.
func (s *stage) draw(output io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := output.Read(buf)
		s.mu.Lock()
		_, _ = s.screen.Write(buf[:n]) // never fails
		s.drawn, s.over = time.Now(), err != nil
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *stage) image() image {
	s.mu.Lock()
	defer s.mu.Unlock()
	return drawScreen(s.screen)
}

// expectChange makes await wait for the effect of keys that are about to be typed.
func (s *stage) expectChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn = time.Now()
}

// settled is how long nothing is drawn before a screen counts as whole. Uptimes
// tick once a second.
const settled = 250 * time.Millisecond

// await returns when all texts are on the screen and it has come to rest.
func (s *stage) await(ctx context.Context, texts []string) error {
	for {
		s.mu.Lock()
		shown, rests, over := s.screen.Text(), time.Since(s.drawn) >= settled, s.over
		s.mu.Unlock()
		missing := slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) })
		switch {
		case !missing && rests:
			return nil
		case over:
			return fmt.Errorf("hob ended; it shows:\n%s", shown)
		case ctx.Err() != nil:
			return fmt.Errorf("not all of %q is on the screen:\n%s", texts, shown)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
