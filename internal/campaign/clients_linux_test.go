package campaign

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestAThousandClients has a thousand connections to one holder that neither
// write nor close. It serves as many as it bounds itself to, and no more memory
// goes to the rest; whoever comes then is told so at once; the job and its files
// are none the worse; and when they have gone everything is as before.
func TestAThousandClients(t *testing.T) {
	w := newWorld(t)
	id := w.Must(t, "run", "-b", "-n", "asked", "-c", "echo up; read x; echo got $x; read y")
	w.Must(t, "wait", "--for", "up", id)
	st, err := jobdir.ReadState(filepath.Join(w.State, "jobs", id))
	if err != nil {
		t.Fatal(err)
	}
	before := resident(t, st.Holder.PID)
	served, open := 0, make([]net.Conn, 0, 1000)
	closeAll := func() {
		for _, c := range open {
			c.Close()
		}
	}
	defer closeAll()
	for range cap(open) {
		c, err := net.Dial("unix", st.Socket)
		if err != nil {
			t.Fatalf("connection %d: %v", len(open)+1, err)
		}
		open = append(open, c)
		_ = c.SetReadDeadline(time.Now().Add(stage.Patience))
		switch _, err := c.Read(make([]byte, 1)); err {
		case nil:
			served++
		case io.EOF: // refused at once, not left waiting
		default:
			t.Fatalf("connection %d: %v", len(open), err)
		}
	}
	if served < 100 || served > 200 {
		t.Errorf("%d of %d were served", served, len(open))
	}
	if grown := resident(t, st.Holder.PID) - before; grown > 16<<20 {
		t.Errorf("the holder grew by %d bytes", grown)
	}
	// Files say what files say.
	if out := w.Must(t, "log", id); out != "up" {
		t.Errorf("log %q", out)
	}
	if out := w.Must(t, "list", "--running", "-q"); out != id {
		t.Errorf("list %q", out)
	}
	if _, code, err := w.Ask("screen", id); code != 1 || !strings.Contains(err.Error(), "too many clients") {
		t.Errorf("screen: code %d, %v", code, err)
	}
	closeAll()
	if err := stage.Eventually("there is room again", func() bool {
		_, _, err := w.Ask("write", "--enter", id, "it")
		return err == nil
	}); err != nil {
		t.Fatal(err)
	}
	w.Must(t, "wait", "--for", "got it", id)
	w.Must(t, "kill", id)
}

// resident is the memory that a process has, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
