// Package logout reports whether the end of a user's login session would end the jobs that start
// here. Only systemd does that; on other systems it never happens.
//
// systemd-logind puts the processes of a login into a scope of the session, and kills that scope
// with the session if KillUserProcesses= is set (logind.conf(5)). Processes that the user's own
// manager started, which is how most desktops start terminals, end with that manager: after the
// user's last session, unless lingering is enabled for the user (loginctl(1)).
package logout

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// Advice returns advice for a user whose jobs end at logout: the reason and the remedy. It is empty
// if jobs survive logout, and if that cannot be determined.
func Advice() string {
	return place{files: os.DirFS("/"), uid: os.Getuid(), name: userName}.advice()
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// place describes where a process runs, as read from files.
type place struct {
	files fs.FS
	uid   int
	name  func() string // of the user; called only if it matters
}

func (p place) advice() string {
	if _, err := fs.Stat(p.files, "run/systemd/system"); err != nil {
		return "" // not started by systemd: sd_booted(3)
	}
	slice := "user-" + strconv.Itoa(p.uid) + ".slice"
	_, unit, found := strings.Cut(p.controlGroup(), "/"+slice+"/")
	if !found {
		return "" // a service of the system, a container, another user's session
	}
	unit, _, _ = strings.Cut(unit, "/")
	switch {
	case strings.HasPrefix(unit, "session-") && strings.HasSuffix(unit, ".scope"):
		name := p.name()
		if !p.killed(name) {
			return ""
		}
		if p.lingers(name) {
			return "jobs end with this login session (KillUserProcesses=yes); those of systemd-run --user --scope hob … do not"
		}
		return "jobs end with this login session (KillUserProcesses=yes); to keep them: loginctl enable-linger, then systemd-run --user --scope hob …"
	case unit == fmt.Sprintf("user@%d.service", p.uid) && !p.lingers(p.name()):
		return "jobs end when you log out, with your systemd user manager; to keep them: loginctl enable-linger"
	}
	return ""
}

// controlGroup returns the control group of this process in systemd's own hierarchy if it has one,
// else in the unified hierarchy (cgroups(7)).
func (p place) controlGroup() string {
	b, err := fs.ReadFile(p.files, "proc/self/cgroup")
	if err != nil {
		return ""
	}
	var own string
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(f) < 3:
		case f[1] == "name=systemd":
			return f[2]
		case f[0] == "0":
			own = f[2]
		}
	}
	return own
}

// lingers reports whether the user's manager outlives the user's sessions.
func (p place) lingers(name string) bool {
	if name == "" {
		return true // unknown: no advice
	}
	_, err := fs.Stat(p.files, "var/lib/systemd/linger/"+name)
	return err == nil
}

// killed reports whether logind kills the remaining processes of this user's sessions.
func (p place) killed(name string) bool {
	c := p.logind()
	if slices.Contains(strings.Fields(c["KillExcludeUsers"]), name) {
		return false
	}
	if only := strings.Fields(c["KillOnlyUsers"]); len(only) > 0 && !slices.Contains(only, name) {
		return false
	}
	switch strings.ToLower(c["KillUserProcesses"]) {
	case "yes", "true", "on", "1", "y", "t":
		return true
	}
	return false
}

// logind returns logind's settings: the first main file that exists, then the drop-in directories
// beside the main files, sorted by file name. A file in an earlier directory hides one of the same
// name in a later directory. A setting that is commented out in the main file shows the default that
// this system's logind was built with.
func (p place) logind() map[string]string {
	dirs := []string{"etc/systemd", "run/systemd", "usr/local/lib/systemd", "usr/lib/systemd", "lib/systemd"}
	c := map[string]string{"KillExcludeUsers": "root"}
	for _, dir := range dirs {
		if b, err := fs.ReadFile(p.files, dir+"/logind.conf"); err == nil {
			settings(c, string(b), "#")
			settings(c, string(b), "")
			break
		}
	}
	added := map[string]string{}
	for _, dir := range slices.Backward(dirs) {
		list, _ := fs.ReadDir(p.files, dir+"/logind.conf.d")
		for _, e := range list {
			if strings.HasSuffix(e.Name(), ".conf") {
				added[e.Name()] = dir + "/logind.conf.d/" + e.Name()
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		if b, err := fs.ReadFile(p.files, added[name]); err == nil {
			settings(c, string(b), "")
		}
	}
	return c
}

// settings adds the "Name=value" lines of text that begin with mark to c.
func settings(c map[string]string, text, mark string) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), mark)
		if name, value, is := strings.Cut(line, "="); ok && is {
			c[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
}
