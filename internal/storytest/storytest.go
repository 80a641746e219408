//go:build unix

// Package storytest runs end-to-end stories: scripts of package testscript that use hob as a user does,
// each with its own home and state directory and with a real terminal. In a story,
//
//	code N program [arg…]   runs a program and checks its exit code
//	term command [arg…]     controls the terminal
//	[mounts]                holds where a user may mount in namespaces of their own
//
// hob is the test binary. A package of stories has a TestMain that calls [Main].
package storytest

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
	"github.com/hobjobs/hob/internal/testtool"
)

// Main lets the test binary act as hob in stories, and as the holders that hob starts there. Else it runs
// the tests.
func Main(m testscript.TestingM) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	programs := map[string]func(){
		"hob":    func() { os.Exit(cli.Main(os.Args)) },
		"listen": listen,
		"serve":  serve,
	}
	if programs[filepath.Base(os.Args[0])] == nil {
		testtool.Prepare()
	}
	testscript.Main(m, programs)
}

// listen is a server for the stories: it accepts connections on the port in its argument (0: any
// free one), whose number it prints, until it is killed.
func listen() {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("on", l.Addr().(*net.TCPAddr).Port)
	for {
		if conn, err := l.Accept(); err == nil {
			_ = conn.Close()
		}
	}
}

// serve is the program serve PORT FILE: an HTTP server that answers with the status code in a file, or with
// 200 if there is none. To /health only: it has no other page.
func serve() {
	err := http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Args[1]), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusOK
		if data, err := os.ReadFile(os.Args[2]); err == nil {
			code, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		if r.URL.Path != "/health" {
			code = http.StatusNotFound
		}
		w.WriteHeader(code)
	}))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Run runs the stories in a directory. A setup that replaces [Setup] calls it.
func Run(t *testing.T, stories testscript.Params) {
	if stories.Setup == nil {
		stories.Setup = Setup
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){"code": cmdCode, "term": cmdTerm}
	maps.Copy(commands, stories.Cmds)
	stories.Cmds = commands
	others := stories.Condition
	stories.Condition = func(name string) (bool, error) {
		if name == "mounts" || others == nil {
			return condition(name)
		}
		return others(name)
	}
	stories.RequireExplicitExec = true
	stories.RequireUniqueNames = true
	testscript.Run(t, stories)
}

// condition evaluates the conditions of stories. [mounts]: this process may mount file systems. With CI
// set, that is an error if it may not.
func condition(name string) (bool, error) {
	if name != "mounts" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	err := mounts()
	if os.Getenv("CI") == "" {
		return err == nil, nil
	}
	return err == nil, err
}

// mounts returns why a user may not mount in a namespace of their own, nil if they may.
var mounts = sync.OnceValue(testtool.UserMounts)

// Setup prepares the environment of a story and ends the jobs that the story leaves
// running.
func Setup(env *testscript.Env) error {
	state := filepath.Join(env.WorkDir, "state")
	home := filepath.Join(env.WorkDir, "home")
	// Socket paths must be short.
	runtime, err := os.MkdirTemp("", "hob")
	if err != nil {
		return err
	}
	env.Setenv("HOB_STATE_DIR", state)
	env.Setenv("HOME", home)
	env.Setenv("XDG_RUNTIME_DIR", runtime)
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("SHELL", "/bin/sh")
	env.Setenv("LANG", "C.UTF-8")
	addr, err := testtool.FindAddr()
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(addr)
	env.Setenv("FREE_PORT", port)
	env.Values[terminalKey{}] = &terminal{}
	env.Defer(func() {
		env.Values[terminalKey{}].(*terminal).close()
		defer os.RemoveAll(runtime)
		list := exec.Command("hob", "list", "--running", "-q")
		list.Env = env.Vars
		ids, err := list.Output()
		if err != nil || len(ids) == 0 {
			return
		}
		kill := exec.Command("hob", append([]string{"kill", "--grace", "0s"}, strings.Fields(string(ids))...)...)
		kill.Env = env.Vars
		_ = kill.Run() // fails if a job has just ended
	})
	return os.Mkdir(home, 0o700)
}

// cmdCode runs a program and checks its exit code: code 3 hob status x.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [arg…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
