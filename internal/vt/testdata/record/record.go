package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/hobjobs/hob/internal/vt"
)

const (
	quiet     = 250 * time.Millisecond // without output, a screen is taken
	stepLimit = 4 * time.Second
	maxStream = 300 << 10
	path      = "/usr/bin:/bin:/usr/sbin:/sbin"
	spacing   = 12 << 10 // bytes between screens taken within output
)

var (
	primaryAttributes   = regexp.MustCompile("\x1b\\[\\?[0-9;]*c")
	secondaryAttributes = regexp.MustCompile("\x1b\\[>[0-9;]*c")
)

type recorded struct {
	Recording
	stream []byte
}

// capture collects what a program prints and answers its queries.
type capture struct {
	mu     sync.Mutex
	term   *vt.Terminal
	stream []byte
	sizes  []Size
	ground []int // offsets at which no sequence is cut
	last   time.Time
	ended  bool
}

// record runs a scene and asks tmux for its screens.
func record(s scene) (recorded, error) {
	if !s.installed() {
		return recorded{}, errors.New("the program is not installed")
	}
	home, err := os.MkdirTemp("", "scene")
	if err != nil {
		return recorded{}, err
	}
	defer os.RemoveAll(home)
	if err := prepare(home); err != nil {
		return recorded{}, err
	}
	played, err := s.play(home)
	if err != nil {
		return recorded{}, err
	}
	if len(played.stream) == 0 {
		return recorded{}, errors.New("it printed nothing")
	}
	r := recorded{Recording: Recording{Name: s.name, Cols: s.cols, Rows: s.rows, Sizes: played.sizes}, stream: played.stream}
	r.Marks, err = ask(s, played)
	return r, err
}

// performance is what a program printed, the offsets at which it was quiet, and
// the resizes.
type performance struct {
	stream []byte
	marks  []int
	sizes  []Size
}

// play runs the program and types.
func (s scene) play(home string) (performance, error) {
	// A name and processes of its own, so that recordings tell nothing of the machine.
	cmd := exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts", "sh", "-c", "hostname box; exec env -i \"$@\"", "sh",
		"HOME=/tmp/home", "PATH="+path, "TERM=xterm-256color", "COLORTERM=truecolor",
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "USER=me", "PS1=$ ", "SHELL=/bin/sh", "TZ=UTC",
		"sh", "-c", "cd /tmp/home && "+s.command)
	cmd.Args = append([]string{"unshare", "--mount", "sh", "-c",
		"mkdir -p /tmp/home && mount --bind \"$0\" /tmp/home && exec \"$@\"", home}, cmd.Args...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(s.cols), Rows: uint16(s.rows)})
	if err != nil {
		return performance{}, err
	}
	c := &capture{last: time.Now()}
	var reader sync.WaitGroup
	c.emulate(f, s)
	reader.Go(func() { c.read(f) })
	c.settle(0)
	marks := []int{c.offset()}
	for _, step := range s.steps {
		from := c.offset()
		if cols, rows, ok := sizeOf(step); ok {
			c.resize(f, cols, rows)
		} else if _, err := f.WriteString(step); err != nil {
			break
		}
		c.settle(from)
		marks = append(marks, c.offset())
	}
	cmd.Process.Kill()
	cmd.Wait()
	f.Close()
	reader.Wait()
	n := marks[len(marks)-1]
	if n > maxStream {
		n = maxStream
	}
	p := performance{stream: c.stream[:n], marks: c.between(marks, n)}
	for _, z := range c.sizes {
		if z.At < n {
			p.sizes = append(p.sizes, z)
		}
	}
	return p, nil
}

// sizeOf reads a step that is a resize instead of something to type.
func sizeOf(step string) (cols, rows int, ok bool) {
	_, err := fmt.Sscanf(step, "resize %dx%d", &cols, &rows)
	return cols, rows, err == nil
}

// resize changes the size where no sequence is cut; elsewhere it does nothing.
func (c *capture) resize(f *os.File, cols, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.term.Ground() {
		return
	}
	c.term.Resize(cols, rows)
	c.sizes = append(c.sizes, Size{At: len(c.stream), Cols: cols, Rows: rows})
	pty.Setsize(f, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// emulate makes what answers the program's queries, by way of f.
func (c *capture) emulate(f *os.File, s scene) {
	// Programs must not use horizontal margins, which tmux does not have.
	c.term = vt.New(s.cols, s.rows, vt.WithReply(func(b []byte) {
		b = primaryAttributes.ReplaceAll(b, []byte("\x1b[?62;22c"))
		f.Write(secondaryAttributes.ReplaceAll(b, []byte("\x1b[>1;10;0c")))
	}))
}

func (c *capture) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		c.mu.Lock()
		c.term.Write(buf[:n])
		c.stream = append(c.stream, buf[:n]...)
		c.last = time.Now()
		if c.term.Ground() {
			c.ground = append(c.ground, len(c.stream))
		}
		c.ended = c.ended || err != nil
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *capture) offset() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.stream)
}

// settle waits until something was printed behind from and then nothing more.
func (c *capture) settle(from int) {
	begin := time.Now()
	for time.Since(begin) < stepLimit {
		time.Sleep(20 * time.Millisecond)
		c.mu.Lock()
		done := c.ended || time.Since(c.last) > quiet && (len(c.stream) > from || time.Since(begin) > stepLimit/3)
		c.mu.Unlock()
		if done {
			return
		}
	}
}

// between adds offsets within long output, and drops what cuts a sequence.
func (c *capture) between(marks []int, end int) []int {
	var all []int
	last, m := 0, 0
	for _, g := range c.ground {
		if g > end {
			break
		}
		for m < len(marks) && marks[m] < g {
			m++
		}
		wanted := m < len(marks) && marks[m] == g
		if wanted || g-last >= spacing {
			all = append(all, g)
			last = g
		}
	}
	return all
}

// prepare fills a home directory with files to look at.
func prepare(home string) error {
	files := map[string]string{
		"hello.go":   "package main\n\nimport \"fmt\"\n\n// main greets.\nfunc main() {\n\tfor i := range 10 {\n\t\tfmt.Printf(\"hello %d, 漢字 and é\\n\", i)\n\t}\n}\n",
		"script.py":  "import sys\n\nclass A:\n    \"\"\"A doc.\"\"\"\n    def f(self, x: int) -> str:\n        return f\"{x:>10} — ü\"\n\nif __name__ == '__main__':\n    print(A().f(3), file=sys.stderr)\n",
		"notes.md":   "# Notes\n\n* one\n* two with `code` and **bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted 日本語テキスト with wide characters that go on and on until the line has to be wrapped somewhere\n",
		"Makefile":   "all: a b\n\na:\n\techo a\n\n.PHONY: all\n",
		"data.json":  "{\"name\": \"x\", \"list\": [1, 2.5, null, true], \"o\": {\"k\": \"v\"}}\n",
		".vimrc":     "set nocompatible number ruler hlsearch\nsyntax on\n",
		".zshrc":     "PROMPT='%F{green}%n%f %~ %# '\nautoload -Uz compinit && compinit -u\n",
		".inputrc":   "set colored-stats on\n",
		".gitconfig": "[user]\n\tname = Me\n\temail = me@example.org\n[color]\n\tui = always\n",
		".emacs":     "(setq inhibit-startup-screen t)\n",
		".tmux.conf": "set -g status-right ''\nset -g default-command 'sh'\n",
		".screenrc":  "startup_message off\nhardstatus alwayslastline \"%{= kw}%-w%{= BW}%n %t%{-}%+w\"\n",
	}
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "%4d the quick brown fox jumps over the lazy dog %s\n", i, strings.Repeat("=", i%60))
	}
	files["long.txt"] = long.String()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, d := range []string{"src", "docs", "empty"} {
		if err := os.Mkdir(filepath.Join(home, d), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(home, "src", "run.sh"), []byte("#!/bin/sh\necho run\n"), 0o755)
}
