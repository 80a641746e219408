package slurm

import (
	"testing"
	"time"
)

func TestCheckOptions(t *testing.T) {
	for option, ok := range map[string]bool{
		"--gres=gpu:1": true, "-p": true, "long": true, "-t": true, "1:00:00": true, "--nodes=2": true, "--account=a": true, "--exclusive": true,
		"--array=1-3": false, "--arr": false, "-a1-3": false, "-a": false, "--wrap=x": false, "--output=x": false, "-o": false, "-ofile": false,
		"--error": false, "-e": false, "--comment=x": false, "--job-name=x": false, "-J": false, "--parsable": false, "--wait": false, "-W": false, "--": false,
		"--clusters=b": false, "-Mb": false, "--test-only": false, "--test": false, "--version": false, "-V": false, "--help": false, "-h": false, "-u": false, ":": false,
		"-Ha1-3": false, "-vo": false, "-Qse": false, "-vpa": true, "-Hn1": true, "-k": true, "-ko": true,
	} {
		if err := CheckOptions([]string{"-N1", option}); (err == nil) != ok {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestParseQueue(t *testing.T) {
	q := ParseQueue([]byte("1700000000\n" +
		"7|PENDING|hob-a|1700000060|1700003660|long|ReqNodeNotAvail, UnavailableNodes:n3|\n" +
		"8|FAILED|hob-b|1700000001|1700000002|main|BadConstraints|\n" +
		"9|RUNNING|hob-b|1700000001|N/A|main|None|\n" +
		"warning: something else\n"))
	if q.Err != nil || q.Date != 1700000000 || len(q.Jobs) != 2 {
		t.Fatalf("%+v", q)
	}
	a, b := q.Jobs["hob-a"], q.Jobs["hob-b"]
	if a.Stage() != Waiting || a.Reason != "ReqNodeNotAvail, UnavailableNodes:n3" || a.Partition != "long" || a.Start != 1700000060 {
		t.Errorf("%+v", a)
	}
	if b.Number != "9" || b.Stage() != Started || b.Reason != "" || b.End != 0 {
		t.Errorf("%+v", b)
	}
}

// That Slurm does not answer says nothing about jobs.
func TestParseQueueWithoutAnswer(t *testing.T) {
	for _, out := range []string{"no Unable to contact slurm controller (connect failure)\n", "", "sh: squeue: not found\n"} {
		if q := ParseQueue([]byte(out)); q.Err == nil || q.Jobs != nil {
			t.Errorf("%q: %+v", out, q)
		}
	}
}

func TestMinutes(t *testing.T) {
	for d, want := range map[time.Duration]int{time.Second: 2, time.Minute: 2, 61 * time.Second: 3} {
		if got := Minutes(d); got != want {
			t.Errorf("%v: %d, want %d", d, got, want)
		}
	}
}

func TestLogin(t *testing.T) {
	for host, want := range map[string]string{"slurm:": "", "slurm:me@login1": "me@login1"} {
		if login, ok := Login(host); !ok || login != want {
			t.Errorf("%s: %q, %v", host, login, ok)
		}
	}
	if _, ok := Login("login1"); ok {
		t.Error("login1 is a cluster")
	}
}
