package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/shellword"
)

func (a *app) setupReviveCommand() *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "revive",
		Short: "Restart marked jobs after each reboot",
		Long: "Write a systemd user unit that runs hob revive --marked when your user manager starts. On a\n" +
			"system without systemd, print the line for crontab -e.",
		Example: "hob setup revive\nhob setup revive --remove",
		RunE:    func(*cobra.Command, []string) error { return a.setupRevive(f) },
	}
	cmd.Flags().BoolVar(&f.print, "print", false, "show the unit without writing it")
	cmd.Flags().BoolVar(&f.remove, "remove", false, "remove the unit")
	return cmd
}

// systemdRuns is the directory that exists on a system that systemd has started.
const systemdRuns = "/run/systemd/system"

// reviveUnit is the name of the unit.
const reviveUnit = "hob-revive.service"

func (a *app) setupRevive(f setupFlags) error {
	config, err := os.UserConfigDir()
	if err != nil {
		return setupFailed(err)
	}
	units := filepath.Join(config, "systemd", "user")
	unit, wanted := filepath.Join(units, reviveUnit), filepath.Join(units, "default.target.wants", reviveUnit)
	if f.remove {
		return a.removeRevive(unit, wanted)
	}
	program, err := thisProgram()
	if err != nil {
		return err
	}
	_, err = os.Stat(systemdRuns)
	switch {
	case err != nil && !f.print:
		a.reportf("hob: this system does not run systemd. Add this line with crontab -e:")
		_, err = fmt.Fprint(a.stdout, reviveCronLine(program))
		return err
	case f.print:
		_, err = fmt.Fprint(a.stdout, reviveUnitText(program))
		return err
	}
	if err := checkReviveUnit(unit); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return setupFailed(err)
	}
	if err := os.MkdirAll(filepath.Dir(wanted), 0o700); err != nil {
		return setupFailed(err)
	}
	if err := atomicfile.Write(unit, []byte(reviveUnitText(program))); err != nil {
		return setupFailed(err)
	}
	// The link is what systemctl --user enable makes.
	if err := os.Symlink(filepath.Join("..", reviveUnit), wanted); err != nil && !errors.Is(err, fs.ErrExist) {
		return setupFailed(err)
	}
	a.reportf("hob: wrote %s; jobs started with hob run --revive are started again when you log in", escape(unit))
	a.reportf("     To start them at boot instead: loginctl enable-linger")
	return nil
}

// checkReviveUnit returns an error if there is no unit, or one that hob has not written.
func checkReviveUnit(unit string) error {
	text, err := os.ReadFile(unit)
	if err == nil && !bytes.HasPrefix(text, []byte(reviveUnitMark)) {
		return fmt.Errorf("%s was not written by hob; remove it yourself", unit)
	}
	return err
}

// removeRevive removes the unit, unless it is not what hob has written.
func (a *app) removeRevive(unit, wanted string) error {
	err := checkReviveUnit(unit)
	if errors.Is(err, fs.ErrNotExist) {
		a.reportf("hob: %s does not exist; if you use cron, remove the line with crontab -e", escape(unit))
		return nil
	}
	if err != nil {
		return setupFailed(err)
	}
	if err := os.Remove(wanted); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return setupFailed(err)
	}
	if err := os.Remove(unit); err != nil {
		return setupFailed(err)
	}
	a.reportf("hob: removed %s", escape(unit))
	return nil
}

// thisProgram returns a path of this program. If PATH has it, that path is returned: it stays valid after an update.
func thisProgram() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath("hob")
	if err != nil {
		return own, nil
	}
	there, thereErr := os.Stat(path)
	here, hereErr := os.Stat(own)
	if errors.Join(thereErr, hereErr) != nil || !os.SameFile(there, here) {
		return own, nil
	}
	return filepath.Abs(path)
}

// placeVariables are the variables that select where hob keeps jobs and settings.
func placeVariables() []string {
	return []string{"HOB_STATE_DIR", "XDG_STATE_HOME", "HOB_CONFIG", "XDG_CONFIG_HOME"}
}

// reviveCronLine returns the line for crontab. There, a percent sign ends the command unless it is escaped.
func reviveCronLine(program string) string {
	line := "@reboot "
	for _, name := range placeVariables() {
		if value := os.Getenv(name); value != "" {
			line += name + "=" + shellword.Quote(value) + " "
		}
	}
	return strings.ReplaceAll(line+shellword.Quote(program)+" revive --marked\n", "%", `\%`)
}

const reviveUnitMark = "# Written by hob setup revive.\n"

// reviveUnitText returns the unit. Its jobs stay when hob has started them: only hob itself counts as the process of
// the unit. It starts hob with env, because systemd does not allow quotes in the path of the program itself.
func reviveUnitText(program string) string {
	escapes := []string{`\`, `\\`, `"`, `\"`, "%", "%%"}
	text := reviveUnitMark +
		"[Unit]\nDescription=Start marked jobs of hob again after a reboot\n\n" +
		"[Service]\nType=oneshot\nRemainAfterExit=yes\nKillMode=process\n"
	for _, name := range placeVariables() {
		if value := os.Getenv(name); value != "" {
			text += `Environment="` + strings.NewReplacer(escapes...).Replace(name+"="+value) + "\"\n"
		}
	}
	program = strings.NewReplacer(append(escapes, "$", "$$")...).Replace(program)
	return text + `ExecStart=/usr/bin/env "` + program + "\" revive --marked\n\n[Install]\nWantedBy=default.target\n"
}
