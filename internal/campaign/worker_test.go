//go:build unix

package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A chore is what a job of the campaign should do. It is stored in chore.json in the directory that
// is the job's only argument.
type chore struct {
	Pad    int           // length of a line in addition to its number
	Pace   time.Duration // between two lines
	Lines  int           // number of lines after which it exits by itself; 0 is never
	Code   int           // exit code
	Manner string        // reaction to SIGTERM: plain, polite or stubborn
	Both   bool          // also prints each line to standard error
	Daemon bool          // leaves behind a process in a session of its own
}

// Files of the chore's directory.
const (
	choreFile     = "chore.json"
	workerLogFile = "record" // the number of each line that was printed, then the end
	goFile        = "go"     // makes the job exit
	daemonFile    = "daemon" // the pid of the process it left behind
)

const politeCode = 33

// lifetime limits a job and the process it leaves behind: a campaign that is killed from outside
// cannot end them. No round takes that long.
const lifetime = 5 * time.Minute

func dieInTime() { time.AfterFunc(lifetime, func() { os.Exit(75) }) }

func (c chore) line(n int) string {
	return fmt.Sprintf("line %d %s\n", n, strings.Repeat(string(rune('a'+n%26)), c.Pad))
}

// work does the chore in dir. It records what it has done: a line after it was printed, the end
// just before it.
func work(dir string) int {
	dieInTime()
	data, err := os.ReadFile(filepath.Join(dir, choreFile))
	if err != nil {
		return 70
	}
	var c chore
	if err := json.Unmarshal(data, &c); err != nil {
		return 71
	}
	log, err := os.OpenFile(filepath.Join(dir, workerLogFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 72
	}
	record := func(format string, args ...any) {
		_, _ = fmt.Fprintf(log, format+"\n", args...)
		_ = log.Sync()
	}
	terms := make(chan os.Signal, 1)
	switch c.Manner {
	case "polite":
		signal.Notify(terms, syscall.SIGTERM)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	}
	if c.Daemon {
		daemon := &exec.Cmd{
			Path: filepath.Join(filepath.Dir(os.Args[0]), "daemon"), Args: []string{"daemon", dir},
			SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		}
		if err := daemon.Start(); err != nil {
			return 73
		}
	}
	record("begin")
	for n := 0; ; n++ {
		if _, err := os.Stdout.WriteString(c.line(n)); err != nil {
			record("cut")
			return 74 // the terminal is gone
		}
		if c.Both {
			_, _ = os.Stderr.WriteString(c.line(n))
		}
		record("%d", n)
		_, err := os.Stat(filepath.Join(dir, goFile))
		if err == nil || n+1 == c.Lines {
			record("exit %d", c.Code)
			return c.Code
		}
		select {
		case <-terms:
			record("exit %d", politeCode)
			return politeCode
		case <-time.After(c.Pace):
		}
	}
}

// linger is the process that a chore leaves behind: it ignores SIGTERM, SIGHUP and SIGINT.
func linger(dir string) int {
	dieInTime()
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	pid := strconv.Itoa(os.Getpid())
	if err := os.WriteFile(filepath.Join(dir, daemonFile), []byte(pid), 0o600); err != nil {
		return 1
	}
	select {}
}

// workerLog is the job's own record of what it did.
type workerLog struct {
	begun bool
	lines int  // number of lines printed completely
	code  *int // exit code
	cut   bool // it could not print
}

func (t workerLog) String() string {
	code := "no end"
	if t.code != nil {
		code = fmt.Sprintf("exit %d", *t.code)
	}
	return fmt.Sprintf("begun %v, %d lines, cut %v, %s", t.begun, t.lines, t.cut, code)
}

func readWorkerLog(dir string) workerLog {
	var w workerLog
	data, _ := os.ReadFile(filepath.Join(dir, workerLogFile))
	for line := range bytes.Lines(data) {
		word := strings.TrimSuffix(string(line), "\n")
		switch code, ended := strings.CutPrefix(word, "exit "); {
		case word == "begin":
			w.begun = true
		case word == "cut":
			w.cut = true
		case ended:
			n, _ := strconv.Atoi(code)
			w.code = &n
		default:
			w.lines++
		}
	}
	return w
}
