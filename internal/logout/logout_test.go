package logout

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestAdvice(t *testing.T) {
	const (
		session = "0::/user.slice/user-1000.slice/session-3.scope\n"
		manager = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-term.scope\n"
		hybrid  = "9:name=systemd:/user.slice/user-1000.slice/session-3.scope\n0::/\n"
		main    = "etc/systemd/logind.conf"
	)
	for _, tt := range []struct {
		name   string
		cgroup string
		user   string
		files  map[string]string
		want   string // a part of the advice; empty: no advice
	}{
		{"session that ends its processes", session, "ann", map[string]string{main: "[Login]\nKillUserProcesses=yes\n"}, "enable-linger, then"},
		{"hybrid hierarchy", hybrid, "ann", map[string]string{main: "KillUserProcesses=yes\n"}, "enable-linger, then"},
		{"session whose user lingers", session, "ann", map[string]string{main: "KillUserProcesses=1\n", "var/lib/systemd/linger/ann": ""}, "those of systemd-run"},
		{"session that does not", session, "ann", map[string]string{main: "KillUserProcesses=no\n"}, ""},
		{"default that the file comments", session, "ann", map[string]string{main: "#KillUserProcesses=yes\n"}, "KillUserProcesses=yes"},
		{"comment beside the setting", session, "ann", map[string]string{main: "KillUserProcesses=no\n#KillUserProcesses=yes\n"}, ""},
		{"no configuration", session, "ann", nil, ""},
		{"file of the distribution", session, "ann", map[string]string{"usr/lib/systemd/logind.conf": "#KillUserProcesses=yes\n"}, "KillUserProcesses=yes"},
		{"file of the machine before it", session, "ann", map[string]string{main: "", "usr/lib/systemd/logind.conf": "KillUserProcesses=yes\n"}, ""},
		{"added file", session, "ann", map[string]string{main: "KillUserProcesses=no\n", "etc/systemd/logind.conf.d/kill.conf": "KillUserProcesses=yes\n"}, "KillUserProcesses=yes"},
		{"the last added file counts", session, "ann", map[string]string{
			"usr/lib/systemd/logind.conf.d/90-no.conf": "KillUserProcesses=no\n", "etc/systemd/logind.conf.d/10-yes.conf": "KillUserProcesses=yes\n",
		}, ""},
		{"added file hidden by one of its name", session, "ann", map[string]string{
			"usr/lib/systemd/logind.conf.d/a.conf": "KillUserProcesses=yes\n", "etc/systemd/logind.conf.d/a.conf": "\n",
		}, ""},
		{"root is spared", session, "root", map[string]string{main: "KillUserProcesses=yes\n"}, ""},
		{"root is not when others are", session, "root", map[string]string{main: "KillUserProcesses=yes\nKillExcludeUsers=ann\n"}, "KillUserProcesses=yes"},
		{"only others", session, "ann", map[string]string{main: "KillUserProcesses=yes\nKillOnlyUsers=bob eve\n"}, ""},
		{"own manager", manager, "ann", nil, "user manager"},
		{"own manager that lingers", manager, "ann", map[string]string{"var/lib/systemd/linger/ann": ""}, ""},
		{"user without a name", manager, "", nil, ""},
		{"service of the system", "0::/system.slice/cron.service\n", "ann", map[string]string{main: "KillUserProcesses=yes\n"}, ""},
		{"session of another user", "0::/user.slice/user-7.slice/session-3.scope\n", "ann", map[string]string{main: "KillUserProcesses=yes\n"}, ""},
		{"broken file", "nonsense\n", "ann", map[string]string{main: "KillUserProcesses=yes\n"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := fstest.MapFS{"proc/self/cgroup": {Data: []byte(tt.cgroup)}, "run/systemd/system/x": {}}
			for name, text := range tt.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			p := place{files: files, uid: 1000, name: func() string { return tt.user }}
			got := p.advice()
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q in it", got, tt.want)
			}
			delete(files, "run/systemd/system/x")
			if got := p.advice(); got != "" {
				t.Errorf("without systemd: %q", got)
			}
		})
	}
}
