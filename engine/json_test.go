package engine_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
)

func fullJob() engine.Job {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	code, cpu := 143, 12.34
	return engine.Job{
		Request: engine.Request{
			ID: "npm-run-dev-7k2qm", Token: "t", Name: "npm run dev", Command: []string{"npm", "run", "say \"é\" <&>"}, Host: "web1",
			Dir: "/srv/app", Backend: "ssh", Kind: engine.KindPTY,
			CreatedAt: at,
			LogLimit:  1 << 30,
			Timeout:   record.InMilliseconds(1500 * time.Millisecond), Grace: record.InMilliseconds(5 * time.Second),
			EnvNames: []string{"A", "B"}, RestartedFrom: "x-22222", Restart: "on-failure:5",
			CreatedBy: "cli", Labels: map[string]string{"b": "2", "a": "1"},
		},
		State: engine.State{
			Backgrounded: true, Status: engine.Killed, Paused: true,
			Exit: engine.Exit{
				Status: engine.Killed, Code: &code, Signal: "SIGTERM", Reason: engine.ReasonTimeout, EndedBy: "timeout", Error: "words",
				At: at.Add(90 * time.Second), Ran: record.InMilliseconds(89500 * time.Millisecond), Survivors: []engine.Process{{PID: 77, Command: "sleep 60"}},
			},
			Leader: engine.Identity{PID: 4711}, StartedAt: at.Add(500 * time.Millisecond), Stopping: &engine.StopRequest{Deadline: at.Add(time.Hour)}, Deadline: at.Add(2 * time.Hour),
			Output: 10, Dropped: 2, Waiting: true, Title: "vite\x07",
			Progress: &engine.Progress{State: "normal", Percent: 40},
			Size:     engine.Size{Cols: 120, Rows: 40}, Cwd: "/srv",
			Link: engine.LinkUnreachable, LinkError: "no route",
			StaleSince: at.Add(time.Minute), Machine: "m",
			Pending: &engine.Pending{
				Name: "default", Position: 3, Reason: "waiting for a slot (2 ahead)", After: []engine.ID{"build-7k2qm"},
				StartsAt: at.Add(time.Hour),
			},
			Scheduled: engine.Scheduled{ID: "123", Partition: "main", Node: "n1"},
			Runs:      &engine.Runs{Count: 3, NextAt: at.Add(4 * time.Second)},
		},
		OutputPath: "/s/output.log",
		Ports:      []int{3000, 3001}, CPU: &cpu, RSS: 4096,
	}
}

func TestJobJSON(t *testing.T) {
	bare := engine.Job{
		Request: engine.Request{
			ID: "job-22222", Name: "job", Script: "true", Kind: engine.KindFile,
			Split: true, Grace: record.InMilliseconds(5 * time.Second), CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		},
		State:      engine.State{Status: engine.Starting, Link: engine.LinkNone},
		StdoutPath: "/s/stdout.log", StderrPath: "/s/stderr.log",
	}
	var text strings.Builder
	for _, j := range []engine.Job{fullJob(), bare} {
		pretty, err := json.MarshalIndent(j, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(pretty, '\n'))
	}
	golden.RequireEqual(t, text.String())
}

func TestJobJSONOfUnusualValues(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 1, time.FixedZone("", -5400))
	cpu, idle, code := math.NaN(), 0.04, 0
	var text strings.Builder
	for _, j := range []engine.Job{
		{},
		{
			Request: engine.Request{
				Name: "caf\xe9 \u2028 \x1b", Command: []string{}, Script: "a && b > c\n", Dir: "/tmp/\xff",
				EnvNames: []string{}, Labels: map[string]string{"<": "\xff", "": ""}, Timeout: record.InMilliseconds(-1), Grace: record.InMilliseconds(500 * time.Microsecond),
			},
			State: engine.State{
				Status: engine.Running, Exit: engine.Exit{Code: &code, Error: "not yet"},
				StartedAt: at, Link: engine.LinkUnreachable, StaleSince: at.Add(61005 * time.Millisecond), Progress: &engine.Progress{},
				Size: engine.Size{Cols: 1},
			},
			Ports: []int{}, CPU: &cpu,
		},
		{Request: engine.Request{Timeout: record.InMilliseconds(1000000 * time.Hour), Labels: map[string]string{}}, State: engine.State{Status: engine.Lost, StartedAt: at, Exit: engine.Exit{Status: engine.Lost}}, CPU: &idle},
		{State: engine.State{Status: engine.Exited, Exit: engine.Exit{Status: engine.Exited, Code: &code, At: at, Survivors: []engine.Process{{Command: "a\xff"}}}}},
	} {
		pretty, err := json.MarshalIndent(j, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		// How long ago a host was reached depends on the clock.
		text.Write(append(regexp.MustCompile(`unreachable \w+"`).ReplaceAll(pretty, []byte(`unreachable …"`)), '\n'))
	}
	golden.RequireEqual(t, text.String())
}

// A field that scripts may use stays. That a new one is documented is tested beside the documents.
func TestJobJSONHasEveryField(t *testing.T) {
	const contract = `id name command script host dir kind backgrounded status reason exit_code signal error pid started_at ended_at
		uptime_seconds output_path stdout_path stderr_path output_bytes dropped_bytes log_limit waiting_for_input title progress ports
		cpu_percent rss_bytes size cwd paused timeout_seconds deadline_at grace_seconds stop_deadline_at env_names survivors ended_by
		restarted_from port queue scheduler restart link link_error stale_since machine created_at created_by labels summary`
	for name, j := range map[string]engine.Job{"full": fullJob(), "empty": {}} {
		data, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Fields(contract) {
			if _, ok := fields[f]; !ok {
				t.Errorf("%s: no %s", name, f)
			}
		}
	}
}

func TestJSONSecondsHaveThreeDecimals(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	j := engine.Job{Request: engine.Request{ID: "job-22222"}, State: engine.State{Status: engine.Exited, StartedAt: at, Exit: engine.Exit{Status: engine.Exited, At: at.Add(1832 * time.Millisecond)}}}
	if got, err := j.MarshalJSON(); !strings.Contains(string(got), `"uptime_seconds":1.832,`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestJobJSONRoundTrip(t *testing.T) {
	for name, want := range map[string]engine.Job{"full": fullJob(), "empty": {Request: engine.Request{EnvNames: []string{}, Labels: map[string]string{}}}} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got engine.Job
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		want.Token, want.Backend = "", ""
		if want.CPU != nil {
			rounded := 12.3
			want.CPU = &rounded
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestUptimeOfUnreachableJobEndsAtLastObservation(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j := engine.Job{State: engine.State{Status: engine.Running, StartedAt: start, Link: engine.LinkUnreachable, StaleSince: start.Add(time.Minute)}}
	if up := j.Uptime(start.Add(time.Hour)); up != time.Minute {
		t.Errorf("an hour later it is %v", up)
	}
	if up := j.Uptime(start.Add(time.Second)); up != time.Second {
		t.Errorf("before it was lost it is %v", up)
	}
	if j.Link = engine.LinkOK; j.Uptime(start.Add(time.Hour)) != time.Hour {
		t.Error("it does not go on where the host answers")
	}
}

// The JSON form of the reason is Slurm's word, because the rest has fields of its own.
func TestWaitReason(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	p := engine.Pending{Reason: "Resources"}
	j := engine.Job{State: engine.State{Status: engine.Queued, Pending: &p}}
	for _, c := range []struct {
		partition string
		start     time.Time
		want      string
	}{
		{"", time.Time{}, "Resources"},
		{"main", time.Time{}, "Resources, partition main"},
		{"main", now.Add(59 * time.Second), "Resources, partition main"},
		{"main", now.Add(150 * time.Minute), "Resources, expected to start in 2h30m, partition main"},
	} {
		j.Scheduled.Partition, p.StartsAt = c.partition, c.start
		if got := j.WaitReason(now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if text, err := j.MarshalJSON(); !strings.Contains(string(text), `"reason":"Resources"`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
