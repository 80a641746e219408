package proc

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestListeningPorts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want := netip.MustParseAddrPort(l.Addr().String())
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	// The child inherits the listener. This process does not count.
	tr := startTree(t, stay, func(cmd *exec.Cmd) { cmd.ExtraFiles = append(cmd.ExtraFiles, file) })
	tr.pids(1)
	procs, err := Members(tr.ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ListeningPorts(procs)
	if err != nil || len(got) != 1 || got[0].Addr != want {
		t.Errorf("ports %v, %v; want %v", got, err, want)
	}
	tr2 := startTree(t, stay)
	tr2.pids(1)
	procs, err = Members(tr2.ref)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ListeningPorts(procs); err != nil || len(got) != 0 {
		t.Errorf("ports of a job without any: %v, %v", got, err)
	}
}

func TestListeningPortsOfThisProcess(t *testing.T) {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	defer l.Close()
	self, err := Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	got, err := ListeningPorts([]Process{self})
	want := Port{Addr: netip.MustParseAddrPort(l.Addr().String()), PID: self.PID}
	if err != nil || !slices.Contains(got, want) {
		t.Errorf("ports %v, %v; want %v", got, err, want)
	}
}

func TestParseListener(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the lines are of a little-endian machine")
	}
	for _, tc := range []struct {
		name, line, want string
		inode            uint64
	}{
		{"IPv4", "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0", "127.0.0.1:8080", 4711},
		{"any", "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0", "0.0.0.0:22", 12},
		{"IPv6", "   0: 00000000000000000000000001000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 99 1", "[::1]:3000", 99},
		{"mapped", "   0: 0000000000000000FFFF00000100007F:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 98 1", "127.0.0.1:3000", 98},
		{"connected", "   0: 0100007F:1F90 0100007F:ABCD 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0", "", 0},
		{"heading", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode", "", 0},
		{"bad port", "   0: 0100007F:XXXX 00000000:0000 0A 0:0 0:0 0 0 0 4711", "", 0},
		{"empty", "", "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			addr, inode, ok := parseListener(tc.line)
			if ok != (tc.want != "") || ok && (addr.String() != tc.want || inode != tc.inode) {
				t.Errorf("%v %d %v", addr, inode, ok)
			}
		})
	}
}

func FuzzParseListener(f *testing.F) {
	f.Add("   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0")
	f.Fuzz(func(t *testing.T, line string) {
		if addr, _, ok := parseListener(line); ok && (!addr.IsValid() || !strings.Contains(line, "0A")) {
			t.Errorf("accepted %q as %v", line, addr)
		}
	})
}

// Processes that had sockets may end before the table of their namespace is read.
func TestSocketTableOutlivesAProcess(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if got := socketTable([]int{ended.Process.Pid, os.Getpid()}, "tcp"); !strings.Contains(got, "local_address") {
		t.Errorf("the table is %q", got)
	}
}
