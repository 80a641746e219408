package engine

import (
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cause"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/internal/units"
)

// investigate adds what this machine shows about a cause, if there is one, and about a command that could
// not be started: for a job of this machine only.
func (x *explainer) investigate(ctx context.Context, c cause.Cause) {
	if !x.j.here() {
		return
	}
	if x.j.Exit.Reason == ReasonSpawn {
		if hint := startHint(x.j.Dir, x.j.Command); hint != "" {
			x.add("command", hint)
			return
		}
	}
	switch c.Kind {
	case cause.CommandNotFound:
		if strings.ContainsRune(c.Subject, '/') {
			x.interpreter(c.Subject)
		} else {
			x.similar(c.Subject)
		}
	case cause.PortInUse:
		x.owner(ctx, c.Subject)
	case cause.BadInterpreter:
		x.interpreter(c.Subject)
	}
}

// similar adds the command on this program's PATH whose name is most like a misspelled one. The
// job's own PATH is not recorded.
func (x *explainer) similar(name string) {
	if name == "" {
		return
	}
	var names []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if i, found := slices.BinarySearch(names, name); found {
		x.add("command", names[i]+" is on hob's PATH, so the job's PATH differs")
		return
	}
	// Nearly any two letters are close to the name of a program.
	if near := spelling.Nearest(name, names); near != "" && len(name) > 2 {
		x.add("command", "did you mean "+near+"?")
	} else if x.j.Exit.Reason == ReasonSpawn {
		x.add("command", aliasHint(x.j.Command))
	}
}

// portArgument is a port to listen on as commands name it: "--port 5173", "-p 8000", "PORT=3000",
// ":8080" and "http.server 8000". A URL and the port of another service, as in "--db-port", are none.
const portArgument = `(?:^|[\s'"=])(?:` +
	`--?(?:(?:app|bind|dev|http|listen|server|web)-)?port[\s=]+` +
	`|-p\s*` +
	`|PORT=` +
	`|(?:http\.server|runserver)\s+(?:--?\w+\s+\S+\s+)*` +
	`|(?:localhost|0\.0\.0\.0|127\.0\.0\.1|\[::1?\]|\*)?:` +
	`)([1-9]\d{1,4})\b`

// lowestPort is the lowest number that is taken for a port: a smaller one is more often a number of
// processes.
const lowestPort = 80

// portOf returns the port that a command line names, or "" if it names none or several.
func portOf(command []string, script string) (port string) {
	line := strings.Join(command, " ") + " " + script
	for _, m := range regexp.MustCompile(portArgument).FindAllStringSubmatch(line, -1) {
		n, err := strconv.Atoi(m[1])
		switch {
		case err != nil, n < lowestPort, n > math.MaxUint16:
			continue
		}
		if port != "" && port != m[1] {
			return ""
		}
		port = m[1]
	}
	return port
}

// owner adds the process that listens on the port now.
func (x *explainer) owner(ctx context.Context, port string) {
	n, err := strconv.Atoi(port)
	if err != nil {
		return
	}
	found, err := x.e.Listeners(ctx, n)
	if err != nil {
		return
	}
	if len(found) == 0 {
		x.add("port", "no process listens on port "+port+" now")
	}
	for _, l := range found {
		x.add("port", l.String())
	}
}

// interpreter adds the interpreter that a script names.
func (x *explainer) interpreter(script string) {
	if !filepath.IsAbs(script) {
		script = filepath.Join(x.j.Dir, script)
	}
	f, err := plainfile.Open(script)
	if err != nil {
		return
	}
	defer f.Close()
	first, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	if rest, ok := strings.CutPrefix(first, "#!"); ok {
		text := "the first line of " + filepath.Base(script) + " names the interpreter " + strings.TrimSpace(rest)
		if strings.HasSuffix(rest, "\r\n") {
			text += ", followed by a carriage return: the file has the line endings of Windows"
		}
		x.add("file", text)
	}
}

// lastSuccess adds how the last run of the same command that succeeded differs.
func (x *explainer) lastSuccess(ctx context.Context) {
	j := x.j
	jobs, err := x.e.List(ctx, Filter{Finished: true})
	if err != nil {
		return
	}
	for _, was := range jobs {
		exit, ended := was.Ended()
		switch {
		case !ended, !was.succeeded(), !was.CreatedAt.Before(j.CreatedAt):
			continue
		}
		if was.Script != j.Script || was.Host != j.Host || !slices.Equal(was.Command, j.Command) {
			continue
		}
		x.add("last_success", differences(was, j, units.FormatDuration(x.e.cfg.now().Sub(exit.At))))
		return
	}
}

// differences describes how the run was differs from j, which failed.
func differences(was, j Job, age string) string {
	text := string(was.ID) + " succeeded " + age + " ago, after " + units.FormatDuration(was.Uptime(was.Exit.At))
	if was.Dir != j.Dir {
		text += ", in " + was.Dir
	}
	for _, set := range []struct {
		what     string
		has, not []string
	}{{"with", was.EnvNames, j.EnvNames}, {"without", j.EnvNames, was.EnvNames}} {
		for _, name := range set.has {
			if !slices.Contains(set.not, name) {
				text += ", " + set.what + " the variable " + name
			}
		}
	}
	return text
}
