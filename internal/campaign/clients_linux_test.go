package campaign

import (
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

// TestAThousandClients opens a thousand connections to one holder that neither write nor close. The
// holder keeps at most its limit of connections, and uses no more memory for the rest; a client
// that connects then and sends a request is answered; the job and its files are unaffected.
func TestAThousandClients(t *testing.T) {
	w := newWorld(t)
	id := w.Must(t, "run", "-b", "-n", "asked", "-c", "echo up; read x; echo got $x; read y")
	w.Must(t, "wait", "--for", "up", id)
	st, err := jobdir.ReadState(filepath.Join(w.State, "jobs", id))
	if err != nil {
		t.Fatal(err)
	}
	before := resident(t, st.Holder.PID)
	open := make([]net.Conn, 0, 1000)
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range cap(open) {
		c, err := net.Dial("unix", st.Socket)
		if err != nil {
			t.Fatalf("connection %d: %v", len(open)+1, err)
		}
		open = append(open, c)
		_ = c.SetReadDeadline(time.Now().Add(stage.Patience))
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatalf("connection %d: %v", len(open), err)
		}
	}
	if grown := resident(t, st.Holder.PID) - before; grown > mostGrown {
		t.Errorf("the holder grew by %d bytes", grown)
	}
	// Its other open descriptors are far fewer than that.
	if fds, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(st.Holder.PID), "fd")); err != nil || len(fds) > 200 {
		t.Errorf("the holder has %d descriptors, %v", len(fds), err)
	}
	// A command that reads files needs no connection.
	if out := w.Must(t, "log", id); out != "up" {
		t.Errorf("log %q", out)
	}
	if out := w.Must(t, "list", "--running", "-q"); out != id {
		t.Errorf("list %q", out)
	}
	if out := w.Must(t, "screen", id); !strings.HasPrefix(out, "up") {
		t.Errorf("screen %q", out)
	}
	w.Must(t, "write", "--enter", id, "it")
	w.Must(t, "wait", "--for", "got it", id)
	w.Must(t, "kill", id)
}

// resident returns the memory that a process uses, in bytes.
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
