//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// hob is the program itself, with a state root of its own.
type hob struct {
	bin, root string
	env       []string
	noPTY     bool
	grace     string // of kills
	label     string
}

var _ killer = (*hob)(nil)

// settings keep every finished job of a run.
const settings = "[keep]\njobs = 100000\n"

func (l *lab) hob() (*hob, error) {
	dir, err := l.room("h")
	if err != nil {
		return nil, err
	}
	h := &hob{bin: l.hobBin, root: filepath.Join(dir, "s"), grace: "0s", label: "hob"}
	config := filepath.Join(dir, "c")
	h.env = with("HOB_STATE_DIR="+h.root, "XDG_CONFIG_HOME="+config, "XDG_RUNTIME_DIR="+dir)
	if err := os.MkdirAll(filepath.Join(config, "hob"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(config, "hob", "config.toml"), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	l.use(h)
	return h, nil
}

func (h *hob) name() string { return h.label }

func (h *hob) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.bin, args...)
	cmd.Env = h.env
	return cmd
}

func (h *hob) launch(argv []string) (*launched, error) {
	args := []string{"run", "-b"}
	if h.noPTY {
		args = append(args, "--no-pty")
	}
	cmd := h.command(append(append(args, "--"), argv...)...)
	cmd.Stderr = os.Stderr // a file: no pipe, and nobody who reads it
	return &launched{client: cmd}, cmd.Start()
}

func (h *hob) logs() (string, func(string) string) {
	jobs := filepath.Join(h.root, "jobs")
	return jobs, func(entry string) string {
		if strings.HasPrefix(entry, ".") {
			return ""
		}
		return filepath.Join(jobs, entry, "output.log")
	}
}

// keepers are the holders of the jobs that run.
func (h *hob) keepers() ([]int, error) {
	states, err := filepath.Glob(filepath.Join(h.root, "jobs", "*", "state.json"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, path := range states {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var state struct {
			Holder struct {
				PID int `json:"pid"`
			} `json:"holder"`
			End *struct{} `json:"end"`
		}
		if err := json.Unmarshal(b, &state); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if state.End == nil && state.Holder.PID > 0 {
			pids = append(pids, state.Holder.PID)
		}
	}
	return pids, nil
}

func (h *hob) killing(*launched) (*exec.Cmd, error) {
	return h.command("kill", "--grace", h.grace, "@"), nil
}

// close kills the jobs that run.
func (h *hob) close() error {
	if _, err := os.Stat(h.root); err != nil {
		return nil // nothing was started
	}
	ids, err := h.command("list", "--running", "-q").Output()
	if err != nil || len(ids) == 0 {
		return err
	}
	kill := h.command(append([]string{"kill", "--grace", "0s"}, strings.Fields(string(ids))...)...)
	out, err := kill.CombinedOutput()
	if err != nil && kill.ProcessState.ExitCode() != jobEnded {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// jobEnded is the exit code of hob kill for a job that ended by itself meanwhile.
const jobEnded = 4
