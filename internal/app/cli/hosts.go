package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/units"
)

func (a *app) hostsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hosts",
		GroupID: groupInspect,
		Short:   "List known hosts",
		Long: "List the hosts that have jobs, and those in hob's settings and ssh's configuration.\n" +
			"Contacts only hosts that have jobs, and never prompts.",
		Example: "hob hosts\nhob hosts check web1\nhob hosts install web1",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listHosts(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	holders := holderCommands{a}
	cmd.AddCommand(a.withEngine(a.checkCommand(), holders.install(), holders.uninstall())...)
	return cmd
}

type knownHost struct {
	name          string
	jobs, running int
	ssh.Host      // state of the connection
}

// knownHosts returns the hosts of jobs, then those in the settings and in ssh's
// configuration, by name. It contacts none of them.
func (a *app) knownHosts(ctx context.Context) ([]knownHost, error) {
	jobs, err := a.eng.List(ctx, engine.Filter{})
	if err != nil {
		return nil, err
	}
	known := map[string]knownHost{}
	for _, name := range append(a.hosts.Known(), slices.Collect(maps.Keys(a.settings().Hosts))...) {
		known[name] = knownHost{name: name}
	}
	links := map[string]ssh.Host{}
	for _, h := range a.hosts.Hosts() {
		links[h.Name] = h
	}
	for _, j := range jobs {
		if j.Host == "" {
			continue
		}
		h := known[j.Host]
		h.name, h.Host = j.Host, links[j.Host]
		h.jobs++
		if !j.Status.Finished() {
			h.running++
		}
		known[j.Host] = h
	}
	return slices.SortedFunc(maps.Values(known), func(a, b knownHost) int {
		return cmp.Or(cmp.Compare(min(b.jobs, 1), min(a.jobs, 1)), cmp.Compare(a.name, b.name))
	}), nil
}

// listHosts connects to the hosts that have jobs, which may change what is known of their jobs.
func (a *app) listHosts(ctx context.Context) error {
	known, err := a.knownHosts(ctx)
	if err != nil {
		return err
	}
	var withJobs []string
	for _, h := range known {
		if h.jobs > 0 {
			withJobs = append(withJobs, h.name)
		}
	}
	a.tryHosts(ctx, withJobs...)
	if known, err = a.knownHosts(ctx); err != nil {
		return err
	}
	switch {
	case a.json:
		list := make([]hostJSON, 0, len(known))
		for _, h := range known {
			list = append(list, jsonOf(h))
		}
		return a.printJSON(list)
	case len(known) == 0:
		a.reportf("No hosts yet. Try: hob run --on HOST CMD (any name ssh accepts)")
		return nil
	}
	return a.hostTable(known)
}

// hostJSON is the JSON form of a host. Its link is null if it was not contacted.
type hostJSON struct {
	Host      string  `json:"host"`
	Link      *string `json:"link"`
	LinkError *string `json:"link_error"`
	Hint      *string `json:"hint"`
	Attention bool    `json:"attention"` // does not recover without the user
	System    *string `json:"system"`
	User      *string `json:"user"`
	Holder    *string `json:"holder"` // path of the hob-holder that starts new jobs there
	Build     *string `json:"holder_build"`
	Jobs      int     `json:"jobs"`
	Running   int     `json:"running"`
}

func jsonOf(h knownHost) hostJSON {
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return hostJSON{
		Host:      h.name,
		Link:      orNull(string(linkOf(h))),
		LinkError: orNull(linkError(h)),
		Hint:      orNull(h.Hint),
		Attention: h.Attention,
		System:    orNull(h.System),
		User:      orNull(h.User),
		Holder:    orNull(h.Holder),
		Build:     orNull(h.HolderBuild),
		Jobs:      h.jobs,
		Running:   h.running,
	}
}

// linkOf returns the state of the connection. A host that has not answered within
// hostTimeout is unreachable.
func linkOf(h knownHost) engine.Link {
	if h.Link == "" && h.Connecting {
		return engine.LinkUnreachable
	}
	return h.Link
}

func linkError(h knownHost) string {
	switch {
	case h.Err != nil:
		return h.Err.Error()
	case linkOf(h) == engine.LinkUnreachable:
		return hostname.Prefix(h.name) + "no answer within " + hostTimeout.String()
	}
	return ""
}

func (a *app) hostTable(known []knownHost) error {
	t := newTable("HOST", "LINK", ">RUNNING", ">JOBS", "ABOUT")
	for _, h := range known {
		link, about := cell{text: "-", style: styleDim}, ""
		switch linkOf(h) {
		case engine.LinkOK:
			link, about = cell{text: "ok", style: styleGood}, h.System+", "+h.User
			if h.Holder != "" {
				about += ", " + strings.TrimSpace("hob-holder "+h.HolderBuild)
			}
		case engine.LinkUnreachable:
			link, about = cell{text: "unreachable", style: styleBad}, linkError(h)
			if h.Attention {
				link.text = "needs you"
			}
		case engine.LinkNone, engine.LinkElsewhere:
		}
		t.add(cell{text: escape(h.name)}, link, cell{text: count(h.running), right: true}, cell{text: count(h.jobs), right: true}, cell{text: escape(about)})
	}
	lines := t.lines(terminalSize(a.stdout).Cols, a.colored(a.stdout))
	for i := len(known) - 1; i >= 0; i-- {
		if hint := known[i].Hint; hint != "" { // not truncated: the user needs all of it
			lines = slices.Insert(lines, i+2, "  "+escape(hint))
		}
	}
	return printLines(a, lines)
}

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check HOST",
		Short: "Test a host connection step by step",
		Long: "Connect to HOST and print what works there, step by step: the connection, the tools that hob\n" +
			"needs, the directory for jobs, and hob-holder with the number of jobs that it runs.",
		Example:           "hob hosts check web1",
		Args:              argCount(1, 1, "host"),
		ValidArgsFunction: a.completeHosts(),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.checkHost(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

type checkJSON struct {
	Host  string     `json:"host"`
	OK    bool       `json:"ok"`
	Steps []stepJSON `json:"steps"`
}

type stepJSON struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Hint   string `json:"hint"`
	TookMS int64  `json:"took_ms"`
}

// checkHost runs the check and prints each step when it is done.
func (a *app) checkHost(ctx context.Context, host string) error {
	result := checkJSON{Host: host, Steps: []stepJSON{}}
	result.OK = a.hosts.Check(ctx, host, func(s ssh.Step) {
		if u, ok := errors.AsType[*unansweredError](s.Err); ok {
			s.Hint = u.hint
		}
		result.Steps = append(result.Steps, stepJSON{s.Name, s.OK, s.Text, s.Hint, s.Took.Milliseconds()})
		if !a.json {
			a.printStep(s)
		}
	})
	if a.json {
		if err := a.printJSON(result); err != nil {
			return err
		}
	}
	if !result.OK {
		return exitStatus(exitHost)
	}
	return nil
}

// printStep prints one step of a check, with further lines indented under the first.
func (a *app) printStep(s ssh.Step) {
	mark := paint(a.colored(a.stdout), "ok    ", styleGood)
	if !s.OK {
		mark = paint(a.colored(a.stdout), "failed", styleBad)
	}
	lines := strings.Split(strings.TrimSpace(s.Text), "\n")
	if s.Hint != "" {
		lines = append(lines, s.Hint)
	}
	fmt.Fprintf(a.stdout, "%s  %-12s  %s  (%s)\n", mark, s.Name, escape(lines[0]), units.FormatTook(s.Took))
	for _, l := range lines[1:] {
		fmt.Fprintf(a.stdout, "%22s%s\n", "", escape(l))
	}
}

// count formats a number of jobs, 0 as a dash.
func count(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
