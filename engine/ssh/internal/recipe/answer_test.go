package recipe

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
)

const listing = `boot b-1 100.50
date 1700000000
job a claim
ready
job b claim over
a/pid:11 501 b-1 setsid
a/wrapper:10 500 b-1 setsid
a/group:
a/token:t1
a/started:1699999990 90.10
b/exit_code:7  
b/token:t2
b/ended_by:kill cli 1699999999 50
b/left:left 77 sleep 9
b/hole.output.log:1049000 5000000
-rw------- 1 0 0 42 Jan  1 00:00 a/output.log
lrwxrwxrwx 1 0 0 11 Jan  1 00:00 b/stdout.log -> /etc/passwd
prw------- 1 0 0 11 Jan  1 00:00 b/stderr.log
job c gone
job d here
/proc/10/stat:10 (sh) S 1 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 500 0
/proc/11/stat:11 (a ) b) T 1 11 11 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 501 0
`

func TestParseList(t *testing.T) {
	l := ParseList([]byte(listing))
	a, b := l.Jobs["a"], l.Jobs["b"]
	if l.Boot != "b-1" || l.Up != 100.5 || l.Date != 1700000000 || !l.Jobs["c"].Gone || l.Jobs["d"].Gone || l.Jobs["d"].Claimed {
		t.Errorf("listing %+v", l)
	}
	if a.Live != "501" || a.State != "T" || a.WrapLive != "500" || !a.Group || a.Over || !a.Claimed || !a.Ready || a.Sizes["output.log"] != 42 || a.Started.Up != 90.1 {
		t.Errorf("a is %+v", a)
	}
	if !b.Over || *b.Code != 7 || b.EndedBy.By != "cli" || b.EndedBy.Grace != 50 || b.Holes["output.log"] != (record.Range{Start: 1049000, End: 5000000}) || len(b.Sizes) != 0 {
		t.Errorf("b is %+v", b)
	}
	if diff := cmp.Diff([]string{"stdout.log", "stderr.log"}, b.Strange); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]record.Process{{PID: 77, Command: "sleep 9"}}, b.Left); diff != "" {
		t.Error(diff)
	}
}

// Every known job is proved again before any is twice.
func TestJobsAreVerifiedInTurn(t *testing.T) {
	known := map[string]*Entry{}
	for i := range 3 * FewProofs {
		known[fmt.Sprintf("job-%d", i)] = &Entry{Job: &Process{PID: i}, Sizes: map[string]int64{"output.log": 1}}
	}
	proved := map[string]int{}
	for range 6 {
		due := dueProofs(known, FewProofs)
		for id, e := range known {
			if e.looks++; due[id] {
				e.looks = 0
				proved[id]++
			}
		}
	}
	for id := range known {
		if proved[id] != 2 {
			t.Errorf("%s was proved %d times in six looks at three times as many as are proved in one", id, proved[id])
		}
	}
	known["job-0"].looks = -1
	known["job-0"].Sizes["output.log"] = 2 * keptHead
	if !dueProofs(known, FewProofs)["job-0"] {
		t.Error("holes of a long log are not looked for")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(listing))
	f.Add([]byte("dir /x\nOK setsid\n" + listing))
	f.Add([]byte("stuck\nleft 1 x\nkilled TERM\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for id, e := range ParseList(data).Jobs {
			if e.ID != id || e.Code != nil && !e.Over && *e.Code > 255 {
				t.Errorf("%q: %+v", id, e)
			}
		}
		ParseSpawn(data)
		ParseStop(data)
		ParseHello(data)
	})
}

func TestCover(t *testing.T) {
	for _, c := range []struct {
		off int64
		n   int
	}{{0, 1}, {1, 1}, {511, 2}, {65535, 65537}, {1 << 40, 1 << 20}, {1<<40 + 12345, 100}} {
		r := Cover(c.off, c.n)
		if start := r.Skip * r.Block; start > c.off || start+int64(r.Drop) != c.off || start+r.Count*r.Block < c.off+int64(c.n) {
			t.Errorf("%d bytes at %d: %+v", c.n, c.off, r)
		}
		if waste := r.Count*r.Block - int64(c.n); waste > 2*r.Block {
			t.Errorf("%d bytes at %d: %d bytes too many", c.n, c.off, waste)
		}
	}
}

func TestWhichMachineRunsAJob(t *testing.T) {
	for name, tc := range map[string]struct {
		place, boot   string // of the job
		there         Clock
		shared, alone bool // elsewhere for jobs of one's own machine, and of a host
	}{
		"the same":                            {"m a pid:[1]", "b", Clock{Place: "m a pid:[1]", Boot: "b"}, false, false},
		"not recorded":                        {"", "b", Clock{Place: "m a pid:[1]", Boot: "c"}, false, false},
		"started again":                       {"m a pid:[1]", "b", Clock{Place: "m a pid:[2]", Boot: "c"}, false, false},
		"under another name":                  {"m a pid:[1]", "b", Clock{Place: "m x pid:[1]", Boot: "b"}, false, false},
		"another machine":                     {"m a pid:[1]", "b", Clock{Place: "n x pid:[1]", Boot: "c"}, true, true},
		"a copy of the machine":               {"m a pid:[1]", "b", Clock{Place: "m x pid:[1]", Boot: "c"}, true, true},
		"another container on it":             {"- a pid:[1]", "b", Clock{Place: "- x pid:[2]", Boot: "b"}, true, true},
		"another container of the same name":  {"- a pid:[1]", "b", Clock{Place: "- a pid:[2]", Boot: "b"}, true, false},
		"a machine that does not count boots": {"- a -", "-", Clock{Place: "- a -", Boot: "-"}, false, false},
	} {
		e := &Entry{Place: tc.place, Wrapper: &Process{Boot: tc.boot}}
		if shared, alone := e.Elsewhere(tc.there, true), e.Elsewhere(tc.there, false); shared != tc.shared || alone != tc.alone {
			t.Errorf("%s: %v, %v", name, shared, alone)
		}
	}
}
