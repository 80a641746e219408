// Package selfstart is how a holder starts the job that it is to hold, when a plain
// `hob run -b` asks for it: that program ends as soon as it is told, and has not even
// set itself up for anything else.
//
// It does what package internal/cli does for the same words, which is little where
// nothing unusual is asked for. Whatever would be said to the caller is left to cli: of
// settings that are wrong and of errors nothing is started here, and the program that asks
// goes the other way; of what else there is that program is told that there is more.
package selfstart

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/ahead"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logout"
	"github.com/hobjobs/hob/internal/presets"
)

// Why a request is left to who asks.
var (
	errBuild = errors.New("of another build")
	errSweep = errors.New("there is a sweep to do")
)

// Start is a [local.Starter].
func Start(request []byte, here *local.Backend, more *bool) error {
	r, err := ahead.ParseRequest(request)
	if err != nil {
		return err
	}
	adopt(r.Env)
	root, err := jobdir.ResolveRoot()
	if err != nil {
		return err
	}
	if jobdir.SweepDue(root, time.Now()) {
		return errSweep
	}
	*more = logout.Advice() != "" // who asks gives it
	said, err := presets.Load(filepath.Join(root, "jobs"), presets.Path(os.LookupEnv), asker())
	if err != nil {
		return err
	}
	if !build.Same(said.Build, build.Version()) {
		return errBuild
	}
	local.WithNotify(said.Notify)(here)
	eng, err := engine.New(engine.WithStateDir(root), engine.WithClient("cli"), engine.WithBackend(here),
		engine.WithLogLimit(said.LogLimit), engine.WithoutSweep())
	if err != nil {
		return err
	}
	spec := engine.Spec{
		Command: r.Command, Script: r.Script, Name: r.Name, Dir: r.Dir, PTY: !r.NoPTY, Backgrounded: true,
		Grace: said.Grace, Timeout: said.Timeout,
	}
	if spec.PTY {
		spec.Size = engine.Size{Cols: said.Cols, Rows: said.Rows}
	}
	_, err = eng.Start(context.Background(), spec, engine.WithEnviron(r.Env))
	return errors.Join(err, eng.Close())
}

// asker is the program that asks, by its file.
func asker() string { return "/proc/" + strconv.Itoa(os.Getppid()) + "/exe" }

// adopt takes over the variables that say where things are.
func adopt(env []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "HOME", "HOB_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "USER":
			_ = os.Setenv(name, value) // one that cannot be set is not there
		}
	}
}
