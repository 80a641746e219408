//go:build linux

package vt

import (
	"archive/zip"
	"compress/flate"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestRecordCorpus records the corpus again: it runs programs in a PTY, types into them, records
// their output, and captures the screen that tmux shows after each step.
//
//	go test ./internal/vt -run TestRecordCorpus -timeout 1h -args -record testdata/corpus.zip
//
// It requires unshare (so that programs see no other processes), tmux, and the programs of the
// scenes. Scenes with a missing program are skipped.
var (
	recordTo     = flag.String("record", "", "the corpus to record")
	recordOnly   = flag.String("only", "", "with -record: scenes whose name matches this regular expression")
	recordScenes = flag.String("scenes", "testdata/scenes.json", "with -record: the scenes")
)

func TestRecordCorpus(t *testing.T) {
	if *recordTo == "" {
		t.Skip("only with -record")
	}
	data, err := os.ReadFile(*recordScenes)
	if err != nil {
		t.Fatal(err)
	}
	var scenes []scene
	if err := json.Unmarshal(data, &scenes); err != nil {
		t.Fatalf("%s: %v", *recordScenes, err)
	}
	only := regexp.MustCompile(*recordOnly)
	done := map[string]recording{}
	var mu sync.Mutex // guards done
	var wg sync.WaitGroup
	turn := make(chan struct{}, 3)
	for _, s := range scenes {
		if !only.MatchString(s.Name) {
			continue
		}
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			r, err := s.record(t)
			if err != nil {
				t.Logf("%s: left out: %v", s.Name, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			done[s.Name] = r
			t.Logf("%s: %d screens, %d bytes", s.Name, len(r.Marks), len(r.stream))
		})
	}
	wg.Wait()
	if err := writeCorpus(*recordTo, done); err != nil {
		t.Fatal(err)
	}
}

func writeCorpus(path string, done map[string]recording) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(done)) {
		head, err := json.Marshal(done[name])
		if err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			data []byte
		}{{name + ".json", head}, {name + ".out", done[name].stream}} {
			w, err := z.Create(part.name)
			if err != nil {
				return err
			}
			if _, err := w.Write(part.data); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

const (
	quiet     = 250 * time.Millisecond // time without output after which the screen is captured
	stepLimit = 4 * time.Second
	maxStream = 300 << 10
	scenePath = "/usr/bin:/bin:/usr/sbin:/sbin"
	spacing   = 12 << 10 // bytes between captures during output
)

var (
	primaryAttributes   = regexp.MustCompile("\x1b\\[\\?[0-9;]*c")
	secondaryAttributes = regexp.MustCompile("\x1b\\[>[0-9;]*c")
)

// scene is a program and the keys that are typed into it, step by step. The screen is
// captured after each step. A step such as "resize 100x30" changes the size instead.
type scene struct {
	Name       string
	Cols, Rows int
	Command    string
	Steps      []string
}

// installed reports whether the program of the command, its first word that is not an
// assignment, exists in the PATH of scenes.
func (s scene) installed() bool {
	for w := range strings.FieldsSeq(s.Command) {
		if strings.Contains(w, "=") {
			continue
		}
		if strings.HasPrefix(w, "/") {
			_, err := os.Stat(w)
			return err == nil
		}
		for dir := range strings.SplitSeq(scenePath, ":") {
			if _, err := os.Stat(dir + "/" + w); err == nil {
				return true
			}
		}
		return false
	}
	return false
}

// capture records the output of a program and replies to its queries.
type capture struct {
	mu     sync.Mutex
	term   *Terminal
	stream []byte
	sizes  []recordedSize
	ground []int // offsets that are not within a sequence
	last   time.Time
	ended  bool
}

// record runs a scene and captures its screens from tmux.
func (s scene) record(t *testing.T) (recording, error) {
	if !s.installed() {
		return recording{}, errors.New("the program is not installed")
	}
	home := t.TempDir()
	if err := fillHome(home); err != nil {
		return recording{}, err
	}
	played, err := s.play(home)
	if err != nil {
		return recording{}, err
	}
	if len(played.stream) == 0 {
		return recording{}, errors.New("it printed nothing")
	}
	r := recording{Name: s.Name, Cols: s.Cols, Rows: s.Rows, Sizes: played.sizes, stream: played.stream}
	r.Marks, err = askTmux(t, s, played)
	return r, err
}

// performance is the output of a program, the offsets at which it was quiet, and the
// resizes.
type performance struct {
	stream []byte
	marks  []int
	sizes  []recordedSize
}

// play runs the program and types.
func (s scene) play(home string) (performance, error) {
	// New UTS and PID namespaces, so that recordings contain nothing about the machine.
	cmd := exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts", "sh", "-c", "hostname box; exec env -i \"$@\"", "sh",
		"HOME=/tmp/home", "PATH="+scenePath, "TERM=xterm-256color", "COLORTERM=truecolor",
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "USER=me", "PS1=$ ", "SHELL=/bin/sh", "TZ=UTC",
		"sh", "-c", "cd /tmp/home && "+s.Command)
	cmd.Args = append([]string{"unshare", "--mount", "sh", "-c",
		"mkdir -p /tmp/home && mount --bind \"$0\" /tmp/home && exec \"$@\"", home}, cmd.Args...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(s.Cols), Rows: uint16(s.Rows)})
	if err != nil {
		return performance{}, err
	}
	c := &capture{last: time.Now()}
	var reader sync.WaitGroup
	c.emulate(f, s)
	reader.Go(func() { c.read(f) })
	c.settle(0)
	marks := []int{c.offset()}
	for _, step := range s.Steps {
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

// sizeOf parses a step that is a resize.
func sizeOf(step string) (cols, rows int, ok bool) {
	_, err := fmt.Sscanf(step, "resize %dx%d", &cols, &rows)
	return cols, rows, err == nil
}

// resize changes the size, unless the output ends within a sequence.
func (c *capture) resize(f *os.File, cols, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !betweenSequences(c.term) {
		return
	}
	c.term.Resize(cols, rows)
	c.sizes = append(c.sizes, recordedSize{At: len(c.stream), Cols: cols, Rows: rows})
	pty.Setsize(f, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// emulate creates the terminal that replies to the program's queries through f.
func (c *capture) emulate(f *os.File, s scene) {
	// Programs must not use horizontal margins, which tmux does not support.
	c.term = New(s.Cols, s.Rows, WithReply(func(b []byte) {
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
		if betweenSequences(c.term) {
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

// settle waits for output after the offset from, and then until the program is quiet.
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

// between adds offsets within long output and removes those within a sequence.
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

// fillHome creates files for the scenes in a home directory.
func fillHome(home string) error {
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

// betweenSequences reports whether the output so far does not end within a character or sequence.
func betweenSequences(t *Terminal) bool { return t.parser.state == ground && t.parser.nutf8 == 0 }
