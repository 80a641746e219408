//go:build linux

package vt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/term"
)

// askTmux writes the output to a tmux pane and captures its screen at each mark.
func askTmux(t *testing.T, s scene, p performance) ([]recordedScreen, error) {
	dir, err := os.MkdirTemp("", "oracle") // sockets need a short path
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "feed")
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "conf")
	if err := os.WriteFile(conf, []byte("set -g status off\nset -g escape-time 0\n"), 0o600); err != nil {
		return nil, err
	}
	tmux := func(args ...string) (string, error) {
		cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "tmux"), "-f", conf}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
		}
		return string(out), err
	}
	if _, err := tmux("new-session", "-d", "-x", strconv.Itoa(s.Cols), "-y", strconv.Itoa(s.Rows), feedVariable+"="+path+" "+self+" -test.run '^TestFeed$'"); err != nil {
		return nil, err
	}
	defer tmux("kill-server") // may exit before it replies
	conn, err := l.Accept()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var list []recordedScreen
	at := 0
	sizes := p.sizes
	for _, m := range p.marks {
		for ; len(sizes) > 0 && sizes[0].At < m; sizes = sizes[1:] {
			z := sizes[0]
			if err := sendChunk(conn, p.stream[at:z.At]); err != nil {
				return nil, err
			}
			at = z.At
			if _, err := tmux("resize-window", "-x", strconv.Itoa(z.Cols), "-y", strconv.Itoa(z.Rows)); err != nil {
				return nil, err
			}
		}
		if err := sendChunk(conn, p.stream[at:m]); err != nil {
			return nil, err
		}
		at = m
		screen, err := tmux("capture-pane", "-p", "-e", "-N")
		if err != nil {
			return nil, err
		}
		facts, err := tmux("display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}")
		if err != nil {
			return nil, err
		}
		f := strings.SplitN(strings.TrimSuffix(facts, "\n"), " ", 5)
		x, _ := strconv.Atoi(f[0])
		y, _ := strconv.Atoi(f[1])
		list = append(list, recordedScreen{At: m, Screen: screen, X: x, Y: y, Shown: f[2] == "1", Alt: f[3] == "1", Title: f[4]})
	}
	return list, nil
}

// sendChunk sends a chunk to the feeder and waits until tmux has processed it.
func sendChunk(conn net.Conn, p []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(p)))
	if _, err := conn.Write(append(head, p...)); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, head[:1])
	return err
}

// feedVariable is the environment variable with the socket of TestFeed.
const feedVariable = "HOB_VT_FEED"

// TestFeed runs in the pane. It writes chunks to the terminal, each followed by a status query,
// whose reply shows that tmux has processed the chunk.
func TestFeed(t *testing.T) {
	if os.Getenv(feedVariable) == "" {
		t.Skip("only in a pane of TestRecordCorpus")
	}
	if err := feed(os.Getenv(feedVariable)); err != nil {
		t.Fatal(err)
	}
}

func feed(path string) error {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer conn.Close()
	old, err := term.MakeRaw(0)
	if err != nil {
		return err
	}
	defer term.Restore(0, old)
	buf := make([]byte, 4096)
	for {
		var head [4]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return nil
		}
		p := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(conn, p); err != nil {
			return err
		}
		if _, err := os.Stdout.Write(append(p, "\x1b[5n"...)); err != nil {
			return err
		}
		var seen []byte
		for !bytes.Contains(seen, []byte("\x1b[0n")) {
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return err
			}
			seen = append(seen, buf[:n]...)
		}
		if _, err := conn.Write([]byte{1}); err != nil {
			return err
		}
	}
}
