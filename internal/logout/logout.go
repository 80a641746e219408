// Package logout says whether the end of a user's login session would end the jobs
// that start here. Only systemd does that; elsewhere it never does.
//
// systemd-logind keeps what a login started in a scope of the session, and ends
// that with the session where KillUserProcesses= says so (logind.conf(5)). What
// the user's own manager started, which is how most desktops start terminals, it
// ends with that manager: after the user's last session, unless the user lingers
// (loginctl(1)).
package logout

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// Advice is what to tell somebody whose jobs end at logout, with the reason and
// what helps; empty where they outlive it, and where it cannot be known.
func Advice() string {
	return place{files: os.DirFS("/"), uid: os.Getuid(), name: userName}.advice()
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// place is where a process runs, as files tell it.
type place struct {
	files fs.FS
	uid   int
	name  func() string // of the user; asked only where it matters
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

// controlGroup is the group that systemd put this process into: that of the
// unified hierarchy, else of systemd's own (cgroups(7)).
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

// lingers says that the user's manager outlives the user's sessions.
func (p place) lingers(name string) bool {
	if name == "" {
		return true // nothing is known, so nothing is said
	}
	_, err := fs.Stat(p.files, "var/lib/systemd/linger/"+name)
	return err == nil
}

// killed says that logind ends what this user's sessions leave.
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

// logind returns logind's settings: the first main file there is, then what the
// directories beside them add, by the names of the files. A name in an earlier
// directory hides the same in a later one. What the main file has only as a
// comment is the default that this system's logind was built with.
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
	names := make([]string, 0, len(added))
	for name := range added {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if b, err := fs.ReadFile(p.files, added[name]); err == nil {
			settings(c, string(b), "")
		}
	}
	return c
}

// settings takes the lines "Name=value" of a text, those after the mark.
func settings(c map[string]string, text, mark string) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), mark)
		if name, value, is := strings.Cut(line, "="); ok && is {
			c[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
}
