//go:build unix

package recipe

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// feed types data into a job that reads it. A slow host takes it in several requests.
func (p *place) feed(dir string, data []byte) {
	p.t.Helper()
	for len(data) > 0 {
		taken, word := ParseFeed([]byte(p.ask(Feed(dir, data))), len(data))
		if word != "ok" {
			p.t.Fatalf("of a job that reads, feed of %d bytes says %q and took %d", len(data), word, taken)
		}
		data = data[taken:]
	}
}

func TestInput(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("cat; echo end")
		j.Stdin = true
		dir := p.start(j).Dir
		long := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
		for _, data := range [][]byte{[]byte("one\n"), {0, 1, 2, '\'', '\\', '%', 0xff, '\n'}, long} {
			p.feed(dir, data)
		}
		if got := strings.TrimSpace(p.ask(Finish(dir))); got != "ok" {
			t.Fatalf("finish says %q", got)
		}
		e := p.ended(j.ID)
		want := "one\n\x00\x01\x02'\\%\xff\n" + string(long) + "end\n"
		if got := p.file(j.ID, "output.log"); got != want || *e.Code != 0 {
			t.Errorf("the job got %d bytes, want %d", len(got), len(want))
		}
		j = p.job("sleep 60")
		j.Stdin = true
		dir = p.start(j).Dir
		if got := strings.TrimSpace(p.ask(Finish(dir))); got != "ok" {
			t.Fatalf("finish says %q", got)
		}
		if got := strings.TrimSpace(p.ask(Feed(dir, []byte("x")))); got != "ended" {
			t.Errorf("feed after the end says %q", got)
		}
		p.ask(Stop(dir, j.ID, StopOptions{Grace: -1, By: "cli", Reason: "kill"}))
		j = p.job("read x; echo \"got <$x>\"")
		dir = p.start(j).Dir
		p.ended(j.ID)
		if got := strings.TrimSpace(p.ask(Feed(dir, []byte("x")))); got != "none" {
			t.Errorf("feed of a job without input says %q", got)
		}
		if got := p.file(j.ID, "output.log"); got != "got <>\n" {
			t.Errorf("without input the job got %q", got)
		}
	})
}

func TestEOFRightAfterTheStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "dash")
	for range 10 {
		j := p.job("cat; echo end")
		j.Stdin = true
		dir := p.start(j).Dir
		p.ask(Finish(dir))
		p.ended(j.ID)
	}
}

// Input can still be sent and ended when only the job itself is left.
func TestInputOutlivesTheWrapper(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo ready; cat; echo end")
		j.Stdin = true
		dir := p.start(j).Dir
		p.output(j.ID, "ready\n")
		syscall.Kill(p.list(j.ID).Wrapper.PID, syscall.SIGKILL)
		p.ask(Feed(dir, []byte("one\n")))
		p.output(j.ID, "ready\none\n")
		p.ask(Finish(dir))
		p.output(j.ID, "ready\none\nend\n")
	})
}

// A job that does not read its input accepts what fits into the pipe. What the host reports as
// taken is what the job receives, once.
func TestFullPipeTakesWhatFits(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job(`until [ -e "$HOME/go" ]; do sleep 0.1; done; cat; echo end`)
		j.Stdin = true
		dir := p.start(j).Dir
		data := make([]byte, 256<<10)
		for i := range data {
			data[i] = 'a' + byte(i/piece%26)
		}
		taken, word := ParseFeed([]byte(p.ask(Feed(dir, data))), len(data))
		if word != "full" || taken < piece || taken >= len(data) {
			t.Fatalf("feed of %d bytes says %q and took %d", len(data), word, taken)
		}
		soon := "sleep() { command sleep 0.3; }\n" // once it is full, more patience changes nothing
		if more, word := ParseFeed([]byte(p.ask(soon+Feed(dir, data[taken:]))), len(data)-taken); word != "full" || more != 0 {
			t.Fatalf("of a full pipe feed says %q and took %d", word, more)
		}
		if err := os.WriteFile(filepath.Join(p.home, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		p.feed(dir, data[taken:])
		p.ask(Finish(dir))
		p.ended(j.ID)
		if got, want := p.file(j.ID, "output.log"), string(data)+"end\n"; got != want {
			t.Errorf("the job got %d bytes, want %d", len(got), len(want))
		}
	})
}

func TestPour(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		stream := func(dir string, data []byte) string {
			begun := false
			a, err := p.open().Stream(t.Context(), Stream(dir), patience, func() []byte {
				if begun {
					return nil
				}
				begun = true
				return data
			})
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSpace(string(a.Out))
		}
		var data []byte
		for i := range 200_000 {
			data = append(data, byte(i*i>>8))
		}
		j := p.job("cat; echo end")
		j.Stdin = true
		dir := p.start(j).Dir
		for _, part := range [][]byte{data, nil, data[:1]} {
			if got := stream(dir, part); got != "ok" {
				t.Fatalf("stream of %d bytes says %q", len(part), got)
			}
		}
		p.ask(Finish(dir))
		p.ended(j.ID)
		if got, want := p.file(j.ID, "output.log"), string(data)+string(data[:1])+"end\n"; got != want {
			t.Errorf("the job got %d bytes, want %d", len(got), len(want))
		}
		if got := stream(dir, data); got != "ended" && got != "none" {
			t.Errorf("stream after the end says %q", got)
		}
		// The rest of what a job does not read is no command.
		j = p.job("read x")
		j.Stdin = true
		dir = p.start(j).Dir
		if got := stream(dir, bytes.Repeat([]byte("\n: >\"$HOME/trap\"\n"), 10_000)); got != "over" {
			t.Errorf("stream into a job that ends says %q", got)
		}
		if _, err := os.Stat(filepath.Join(p.home, "trap")); err == nil {
			t.Error("input was run as a command")
		}
	})
}
