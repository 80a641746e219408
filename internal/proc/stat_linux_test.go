package proc

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseStat(t *testing.T) {
	const tail = " S 10 11 12 34817 13 4194304 94 0 0 0 150 250 0 0 20 0 3 0 8899 2703360 400 18446744073709551615 1 2 3 0\n"
	want := Process{
		PID: 42, PPID: 10, PGID: 11, Session: 12, TTY: 34817, Foreground: 13, State: 'S', Threads: 3,
		User: 1500 * time.Millisecond, System: 2500 * time.Millisecond, RSS: 400 * 4096, Start: 8899,
	}
	for _, tc := range []struct {
		name, line, comm string
		bad              bool
	}{
		{name: "plain", line: "42 (sh)" + tail, comm: "sh"},
		{name: "spaces", line: "42 (tmux: server)" + tail, comm: "tmux: server"},
		{name: "parentheses", line: "42 ((sd-pam))" + tail, comm: "(sd-pam)"},
		{name: "looks like an end", line: "42 (a) R 1 (b)" + tail, comm: "a) R 1 (b"},
		{name: "newline in the name", line: "42 (a\nb)" + tail, comm: "a\nb"},
		{name: "no name", line: "42 ()" + tail, comm: ""},
		{name: "empty", line: "", bad: true},
		{name: "cut", line: "42 (sh) S 10 11", bad: true},
		{name: "no end of name", line: "42 (sh S 10", bad: true},
		{name: "no pid", line: " (sh)" + tail, bad: true},
		{name: "no state", line: "42 (sh) 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", bad: true},
		{name: "letters", line: "42 (sh) S ten 11 12 34817 13 4194304 94 0 0 0 150 250 0 0 20 0 3 0 8899 2703360 400\n", bad: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := parseStat([]byte(tc.line), 4096)
			if ok == tc.bad {
				t.Fatalf("ok %v, %+v", ok, got)
			}
			if tc.bad {
				return
			}
			want := want
			want.Comm = tc.comm
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Process{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseStatOfKernelThread(t *testing.T) {
	got, ok := parseStat([]byte("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 18446744073709551615\n"), 4096)
	if !ok || !got.kernel || got.Foreground != -1 {
		t.Errorf("%v %+v", ok, got)
	}
}

func FuzzParseStat(f *testing.F) {
	line, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte("1 (a) b) S 1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, ok := parseStat(line, 4096)
		if ok && (p.PID <= 0 || p.State < 'A') {
			t.Errorf("accepted %q as %+v", line, p)
		}
	})
}

func FuzzParseCall(f *testing.F) {
	f.Add("0 0x0 0x7f 0x1 0x0 0x0 0x0 0x7ffc 0x7fb1\n")
	f.Add("running\n")
	f.Add("-1 0x7ffc 0x7fb1\n")
	f.Fuzz(func(t *testing.T, line string) {
		if c, ok := parseCall([]byte(line)); ok && c.number < 0 {
			t.Errorf("accepted %q as %+v", line, c)
		}
	})
}

func TestAlive(t *testing.T) {
	self := Self()
	if !Alive(self) {
		t.Fatal("this process is not alive")
	}
	for name, id := range map[string]Identity{
		"zero":         {},
		"no start":     {PID: self.PID},
		"other start":  {PID: self.PID, Start: self.Start + "1"},
		"not a number": {PID: self.PID, Start: "x" + self.Start},
		"no pid":       {Start: self.Start},
		"negative":     {PID: -1, Start: self.Start},
		"unused pid":   {PID: 1 << 30, Start: self.Start},
	} {
		if Alive(id) {
			t.Errorf("%s: alive", name)
		}
	}
}

func TestAliveOfZombie(t *testing.T) {
	cmd := exec.Command("sh", "-c", "exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	id, err := IdentityOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "a zombie", func() bool {
		p, err := Stat(id.PID)
		return err == nil && p.Dead()
	})
	if Alive(id) {
		t.Error("a zombie is alive")
	}
	if again, err := IdentityOf(id.PID); err != nil || again != id {
		t.Errorf("a zombie's identity is %+v, was %+v (%v)", again, id, err)
	}
	if err := Signal(id, 0); !errors.Is(err, ErrGone) {
		t.Errorf("signaling a zombie: %v", err)
	}
}

func TestMachine(t *testing.T) {
	if id := MachineID(); len(id) != 32 || id != MachineID() || id == hardwareID() {
		t.Errorf("machine %q", id)
	}
	if first, again := BootID(), BootID(); first == "" || first != again {
		t.Errorf("boot %q, then %q", first, again)
	}
	if PIDNamespace() == "" {
		t.Error("no pid namespace")
	}
}

func BenchmarkScan(b *testing.B) {
	var s Scanner
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		procs, err := s.Scan()
		if err != nil {
			b.Fatal(err)
		}
		n = len(procs)
	}
	b.ReportMetric(float64(n), "processes")
}
