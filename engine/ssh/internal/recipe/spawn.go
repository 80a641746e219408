package recipe

import (
	_ "embed" // the scripts
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

//go:embed common.sh
var common string

//go:embed tty.sh
var tty string

//go:embed run.sh
var run string

//go:embed serve.sh
var serve string

//go:embed holders.sh
var holders string

//go:embed slurm.sh
var slurm string

// Prelude is what a session has to be opened with before any request.
func Prelude() string { return bare(common) + bare(serve) + bare(holders) }

// ClusterPrelude is Prelude for the login node of a cluster.
func ClusterPrelude() string { return Prelude() + cluster() }

// SlurmLimit bounds each call of a program of Slurm.
const SlurmLimit = 5 * time.Second

// cluster is what the scripts of a cluster have in addition.
func cluster() string { return fmt.Sprintf("h_patience=%d\n", int(SlurmLimit.Seconds())) + bare(slurm) }

// wrapper is the file run of a job directory.
func (j *Job) wrapper() string {
	if j.Cluster == "" {
		return bare(common) + bare(tty) + bare(run)
	}
	return bare(common) + cluster() + bare(tty) + bare(run)
}

// bare is script without its comment lines: they need not travel.
func bare(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			b.WriteString(strings.TrimLeft(line, " "))
		}
	}
	return b.String()
}

// Job is a job to be started.
type Job struct {
	Base  string // the directory of job directories; empty: the host's default
	ID    string
	Token string
	// InPlaceOf is the token of the lost job that this one replaces; empty: none.
	InPlaceOf string
	Owner     string // the client that may sweep it: one field
	Meta      []byte // the content of meta.json on the host
	// Command is an argument vector; if it is nil, Script is run by sh.
	Command []string
	Script  string
	Dir     string // empty: the home directory, which relative ones begin at too
	Env     map[string]string
	Stdin   bool
	Split   bool
	// TTY gives it a terminal, by script(1), and with it an input. Cols and Rows are
	// its size.
	TTY        bool
	Cols, Rows int
	Timeout    time.Duration
	Grace      time.Duration
	StopSignal string // "SIGINT"; empty: SIGTERM
	Limit      int64  // bytes of each log; 0: none. At least twice what is never freed.
	// Mode and Shell are chosen on the host when they are empty.
	Mode, Shell string
	// Cluster is the scheduler that starts the job, "slurm", with Options for it; empty: the host does.
	Cluster string
	Options []string
}

// OwnVariables begins the names of the wrapper's variables, which a job cannot be given.
const OwnVariables = "h_"

// Spawn is the request that starts j. It may be sent any number of times, by
// whomever: the job is started at most once. nonce is a new one each time.
func Spawn(j Job, nonce string) string {
	files := []file{
		{"meta.json", j.Meta},
		{"run", []byte(j.wrapper())},
		{"conf", []byte(j.conf())},
		{"cmd", []byte(j.command())},
		{"env", []byte(j.environment())},
	}
	if j.Cluster != "" {
		files = append(files, file{"batch", []byte(batch)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "prepare %s %s %s %s\n", Quote(j.Base), Quote(j.ID), Quote(j.Token), nonce)
	if j.InPlaceOf != "" {
		fmt.Fprintf(&b, "take_place %s\n", Quote(j.InPlaceOf))
	}
	size := 0
	for _, f := range files {
		size += len(f.content)
		b.WriteString("{\n:\n")
		printfs(&b, f.content)
		fmt.Fprintf(&b, "} >\"$h_d/%s.$h_nonce\" || spoiled %s\n", f.name, f.name)
	}
	fifo := 0
	if j.Stdin || j.TTY {
		fifo = 1
	}
	shell := j.Shell
	if shell == "" {
		shell = "sh"
	}
	if j.Cluster == "" {
		fmt.Fprintf(&b, "launch %s %s %d %d %s", Quote(j.Mode), Quote(shell), fifo, size, Quote(j.Owner))
		return b.String()
	}
	fmt.Fprintf(&b, "submit %d %d %s", fifo, size, Quote(j.Owner))
	for _, o := range j.Options {
		b.WriteString(" " + Quote(o))
	}
	return b.String()
}

type file struct {
	name    string
	content []byte
}

// batch is what Slurm runs on a node, with the job's directory, the nonce and the umask. The shell that
// waits for the job has to run its traps meanwhile, and must not make the job ignore SIGINT: it needs
// job control, which some shells have only on a terminal.
const batch = `#!/bin/sh
d=$1 nonce=$2 um=$3
for sh in sh bash ksh zsh mksh; do
  command -v "$sh" >/dev/null 2>&1 || continue
  yes=$("$sh" -c 'set -m; case $- in *m*) sleep 1 & kill -0 -$! && echo yes; kill $!;; esac' 2>/dev/null </dev/null)
  [ "$yes" != yes ] || exec "$sh" "$d/run" super "$d" monitor "$nonce" "$um" sh
done
exec sh "$d/run" super "$d" setsid "$nonce" "$um" sh
`

func (j *Job) conf() string {
	split, logs := 0, "output.log"
	if j.Split {
		split, logs = 1, "stdout.log stderr.log"
	}
	tty := 0
	if j.TTY {
		tty = 1
	}
	return fmt.Sprintf("h_timeout=%d\nh_grace=%d\nh_stopsig=%s\nh_limit=%d\nh_split=%d\nh_logs=%s\nh_tty=%d\nh_cols=%d\nh_rows=%d\nh_cluster=%s\n",
		tenths(j.Timeout), max(1, tenths(j.Grace)), Quote(stopWord(j.StopSignal)), j.Limit/1000, split, Quote(logs), tty, j.Cols, j.Rows, j.Cluster)
}

// command is the file that the job's sh runs. A script stays as it is: even a line feed at
// its end would change one that ends with a backslash.
func (j *Job) command() string {
	if j.Command == nil {
		return j.Script
	}
	var b strings.Builder
	b.WriteString("exec")
	for _, arg := range j.Command {
		b.WriteString(" '" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
	}
	b.WriteByte('\n')
	return b.String()
}

// environment is sourced by the job and gone before it runs. Where it enters the
// directory relative ones begin at the home directory.
func (j *Job) environment() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, Quote(j.Env[name]))
	}
	dir := `h_dir=${HOME:-/}`
	switch rest, home := strings.CutPrefix(j.Dir, "~/"); {
	case j.Dir == "": // as after a login
		dir += "\n[ -d \"$h_dir\" ] || h_dir=/"
	case j.Dir == "~":
	case home:
		dir += `/` + Quote(rest)
	case strings.HasPrefix(j.Dir, "/"):
		dir = "h_dir=" + Quote(j.Dir)
	default:
		dir += `/` + Quote(j.Dir)
	}
	b.WriteString(dir + "\n")
	program := ""
	if len(j.Command) > 0 {
		program = j.Command[0]
	}
	fmt.Fprintf(&b, "h_program=%s\n:\n", Quote(program))
	return b.String()
}

func tenths(d time.Duration) int64 {
	return int64((d + 99*time.Millisecond) / (100 * time.Millisecond))
}
