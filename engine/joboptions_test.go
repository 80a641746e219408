package engine_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// set returns what the options ask for, each given as a name and a value.
func set(t *testing.T, given ...string) (spec engine.Spec, err error) {
	t.Helper()
	for pair := range slices.Chunk(given, 2) {
		i := slices.IndexFunc(engine.JobOptions(), func(o engine.JobOption) bool { return o.Name == pair[0] })
		if i < 0 {
			t.Fatalf("there is no option %s", pair[0])
		}
		if err := engine.JobOptions()[i].Set(&spec, pair[1]); err != nil {
			return spec, err
		}
	}
	return spec, nil
}

func TestOptionsSetFields(t *testing.T) {
	t.Setenv("HOB_TEST_SET", "here")
	for name, tt := range map[string]struct {
		given []string
		want  engine.Spec
	}{
		"a size":                 {[]string{"size", "120x40"}, engine.Spec{Size: engine.Size{Cols: 120, Rows: 40}}},
		"no restart":             {[]string{"restart", "always", "restart", "no"}, engine.Spec{}},
		"a timeout":              {[]string{"timeout", "90s"}, engine.Spec{Timeout: 90 * time.Second}},
		"a free port":            {[]string{"port", "auto"}, engine.Spec{Port: engine.AutoPort}},
		"variables":              {[]string{"env", "A=1", "env", "B=", "env", "C=a=b", "env", "HOB_TEST_SET"}, engine.Spec{Env: map[string]string{"A": "1", "B": "", "C": "a=b", "HOB_TEST_SET": "here"}}},
		"jobs to follow":         {[]string{"after", "a", "after", "b", "after-any", "c"}, engine.Spec{After: []engine.ID{"a", "b"}, AfterAny: []engine.ID{"c"}}},
		"options for sbatch":     {[]string{"sbatch", "--gres=gpu:1 -p long", "sbatch", "-N 1"}, engine.Spec{SchedulerArgs: []string{"--gres=gpu:1", "-p", "long", "-N", "1"}}},
		"quoted for sbatch":      {[]string{"sbatch", `--mail-user='a b' "--reservation=it's mine" --account=x\ y`}, engine.Spec{SchedulerArgs: []string{"--mail-user=a b", "--reservation=it's mine", "--account=x y"}}},
		"an empty one of sbatch": {[]string{"sbatch", "--mem=4G", "sbatch", ""}, engine.Spec{SchedulerArgs: []string{"--mem=4G"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := set(t, tt.given...)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestOptionsRefuseValues(t *testing.T) {
	for option, values := range map[string][]string{
		"size":      {"0x1", "x", "12", "70000x1", "-1x4"},
		"port":      {"0", "65536", "web", ""},
		"restart":   {"sometimes", "on-failure:0"},
		"log-limit": {"1MiB", "0", "x"},
		"timeout":   {"10", "-1s"},
		"env":       {"", "=x", "HOB_TEST_NOT_SET"},
		"sbatch":    {"--reservation='a b", `-p long\`},
		"on":        {""},
		"queue":     {""},
	} {
		for _, value := range values {
			if _, err := set(t, option, value); err == nil {
				t.Errorf("%s %q is accepted", option, value)
			}
		}
	}
}

// Names are unique, exclusions name options, and every field of Spec has an option, except for those
// that clients set themselves.
func TestOptionsCoverSpec(t *testing.T) {
	names, fields := map[string]bool{}, map[string]bool{
		"Command": true, "EnvDigests": true, "TTYStdin": true, "Grace": true, "Labels": true, "Backgrounded": true, "CreatedBy": true, "RestartedFrom": true, "Single": true,
	}
	for _, o := range engine.JobOptions() {
		if names[o.Name] || o.Usage == "" {
			t.Errorf("--%s stands twice, or has no text", o.Name)
		}
		names[o.Name], fields[o.Field] = true, true
	}
	for _, o := range engine.JobOptions() {
		for _, other := range o.Excludes {
			if !names[other] {
				t.Errorf("--%s excludes --%s, which is no option", o.Name, other)
			}
		}
	}
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[engine.Spec]()) {
		want = append(want, f.Name)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(fields))); diff != "" {
		t.Errorf("fields without an option (-), options without a field (+):\n%s", diff)
	}
}

func TestCheckNamesFieldAndReason(t *testing.T) {
	spec := func(change func(s *engine.Spec)) engine.Spec {
		s := engine.Spec{Script: "make"}
		change(&s)
		return s
	}
	for name, tt := range map[string]struct {
		spec          engine.Spec
		given         []string
		field, reason string // empty: valid
	}{
		"valid":                    {spec: spec(func(*engine.Spec) {})},
		"no command":               {engine.Spec{Script: " "}, nil, "Command", "no command"},
		"two commands":             {spec(func(s *engine.Spec) { s.Command = []string{"make"} }), nil, "Script", "both a command and a script"},
		"a terminal that is split": {spec(func(s *engine.Spec) { s.PTY, s.Split = true, true }), nil, "Split", "--split cannot be combined with --pty"},
		"a small log":              {spec(func(s *engine.Spec) { s.LogLimit = 1 }), nil, "LogLimit", "a log limit under 2 MiB"},
		"a large screen":           {spec(func(s *engine.Spec) { s.Size = engine.Size{Cols: 1, Rows: 5000} }), nil, "Size", "a screen of 1x5000"},
		"a policy":                 {spec(func(s *engine.Spec) { s.Restart = "no" }), nil, "Restart", `the restart policy "no"`},
		"a port on a host":         {spec: spec(func(s *engine.Spec) { s.Port, s.Host = 80, "web1" })},
		"a port on a cluster":      {spec(func(s *engine.Spec) { s.Port, s.Host = 80, "slurm:" }), nil, "Port", "--port cannot be used for jobs on a cluster"},
		"a queue on a cluster":     {spec(func(s *engine.Spec) { s.Queue, s.Host = "a", "slurm:" }), nil, "Queue", "--queue cannot be used for jobs on a cluster"},
		"order on a host":          {spec: spec(func(s *engine.Spec) { s.Host = "web1" }), given: []string{"after"}},
		"order on a cluster":       {spec: spec(func(s *engine.Spec) { s.Host = "slurm:a" }), given: []string{"after"}},
		"restart on a host":        {spec: spec(func(s *engine.Spec) { s.Restart, s.Host = "always", "web1" }), given: []string{"restart"}},
		"restart on a cluster":     {spec(func(s *engine.Spec) { s.Restart, s.Host = "always", "slurm:" }), []string{"restart"}, "Restart", "--restart cannot be used for jobs on a cluster"},
		"sbatch without one":       {spec(func(s *engine.Spec) { s.SchedulerArgs = []string{"-N1"} }), []string{"sbatch"}, "SchedulerArgs", "--sbatch is for jobs on a cluster"},
		"input of a terminal":      {spec(func(s *engine.Spec) { s.PTY, s.Stdin = true, true }), []string{"pty", "stdin"}, "Stdin", "--stdin cannot be combined with --pty"},
		"a pipe as a fallback":     {spec: spec(func(s *engine.Spec) { s.PTY, s.Stdin = true, true })},
		"a size without screen":    {spec(func(s *engine.Spec) { s.Size = engine.Size{Cols: 9, Rows: 9} }), []string{"no-pty", "size"}, "Size", "--size cannot be combined with --no-pty"},
		"a variable":               {spec(func(s *engine.Spec) { s.Env = map[string]string{"a=b": ""} }), nil, "Env", `"a=b" cannot be the name of a variable`},
		"a variable with a dash":   {spec(func(s *engine.Spec) { s.Env = map[string]string{"A": "", "a-b": ""} }), nil, "Env", `"a-b" cannot be the name of a variable`},
		"a variable with a digit":  {spec(func(s *engine.Spec) { s.Env = map[string]string{"1A": ""} }), nil, "Env", `"1A" cannot be the name of a variable`},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.spec.Check(tt.given...)
			if tt.field == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wrong, ok := errors.AsType[*engine.SpecError](err)
			if !ok || !errors.Is(err, engine.ErrInvalid) {
				t.Fatalf("error %v", err)
			}
			reason, hint := wrong.Text(func(o engine.JobOption) string { return "--" + o.Name })
			if wrong.Field != tt.field || reason != tt.reason || hint == "" {
				t.Errorf("%s: %s (%s), want %s: %s", wrong.Field, reason, hint, tt.field, tt.reason)
			}
		})
	}
}
