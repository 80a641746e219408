package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/internal/app/agents"
	"github.com/hobjobs/hob/internal/spelling"
)

type setupFlags struct {
	print, remove bool
}

func (a *app) setupCommand() *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:     "setup AGENT",
		GroupID: groupSetup,
		Short:   "Add hob to an AI agent",
		Long: "Add hob to the settings of an AI agent: the MCP server, a skill and, if the agent\n" +
			"supports hooks, a hook that turns its background commands into jobs. AGENT is\n" +
			agentNames() + ". Files that hob changes are copied first. Entries that\n" +
			"differ from what hob writes are left as they are.",
		Example:           "hob setup claude\nhob setup codex --print\nhob setup claude --remove",
		Args:              argCount(1, 1, "AGENT: "+agentNames()),
		ValidArgsFunction: completeAgents,
		RunE:              func(_ *cobra.Command, args []string) error { return a.setup(args[0], f) },
	}
	cmd.Flags().BoolVar(&f.print, "print", false, "show the changes without making them")
	cmd.Flags().BoolVar(&f.remove, "remove", false, "remove what hob setup added")
	a.jsonFlag(cmd)
	cmd.AddCommand(a.setupReviveCommand())
	return cmd
}

// agentNames lists the agents in a sentence.
func agentNames() string {
	names := agents.Names()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func completeAgents(_ *cobra.Command, args []string, _ string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, ag := range agents.All() {
			found = append(found, cobra.CompletionWithDesc(ag.Name, ag.Title))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func findAgent(name string) (agents.Agent, error) {
	ag, ok := agents.Find(name)
	if ok {
		return ag, nil
	}
	hint := "use " + agentNames()
	if near := spelling.Nearest(name, agents.Names()); near != "" {
		hint = "Did you mean " + near + "? " + hint
	}
	return ag, usagef(hint, "unknown agent %q", name)
}

type setupJSON struct {
	Agent   string          `json:"agent"`
	Changes []agents.Change `json:"changes"`
	Diff    string          `json:"diff"`
	Backups []string        `json:"backups"`
}

func (a *app) setup(name string, f setupFlags) error {
	ag, err := findAgent(name)
	if err != nil {
		return err
	}
	plan, err := ag.Plan(f.remove)
	if err != nil {
		return setupFailed(err)
	}
	result := setupJSON{
		Agent:   ag.Name,
		Changes: plan.Changes,
		Backups: []string{},
	}
	for _, file := range plan.Files {
		result.Diff += diff(file)
	}
	if !f.print {
		backups, err := plan.Apply(time.Now())
		result.Backups = append(result.Backups, backups...)
		if err != nil {
			return setupFailed(err)
		}
	}
	switch {
	case a.json:
		err = a.printJSON(result)
	case f.print:
		_, err = fmt.Fprint(a.stdout, result.Diff)
	default:
		err = a.printSetup(result)
	}
	installs := !f.remove && !f.print
	if err == nil && installs && !a.json {
		a.reportNext(ag, len(plan.Files) > 0)
	}
	return err
}

func diff(f agents.File) string {
	from, to := f.Path, f.Path
	if f.Old == nil {
		from = os.DevNull
	}
	if f.New == nil {
		to = os.DevNull
	}
	return udiff.Unified(from, to, string(f.Old), string(f.New))
}

func (a *app) printSetup(r setupJSON) error {
	var b strings.Builder
	for _, c := range r.Changes {
		path := escape(c.Path)
		did, ok := map[string]string{
			"added": "added to", "updated": "updated in", "removed": "removed from", "present": "already in", "absent": "not in",
		}[c.Outcome]
		if ok {
			fmt.Fprintf(&b, "%s %s %s\n", c.What, did, path)
		} else {
			fmt.Fprintf(&b, "%s left unchanged in %s: it differs from what hob setup writes\n", c.What, path)
		}
	}
	for _, path := range r.Backups {
		fmt.Fprintf(&b, "previous version saved as %s\n", escape(path))
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// reportNext prints what keeps the agent from using hob.
func (a *app) reportNext(ag agents.Agent, changed bool) {
	if _, err := exec.LookPath(ag.Program); err != nil {
		a.reportf("hob: %s is not in PATH; the settings apply once %s is installed", ag.Program, ag.Title)
	}
	if _, err := exec.LookPath("hob"); err != nil {
		a.reportf("hob: hob is not in PATH, so %s cannot start it; add its directory to PATH", ag.Title)
	}
	if !changed {
		return
	}
	a.reportf("hob: sessions of %s that you start from now on use hob", ag.Title)
	if ag.Next != "" {
		a.reportf("hob: %s", ag.Next)
	}
}

func setupFailed(err error) error {
	f := &failure{
		exit: exitFailed,
		code: "failed",
		err:  err,
		hint: "nothing was changed; correct the file, then run hob setup again",
	}
	file, ok := errors.AsType[*agents.FileError](err)
	switch {
	case ok && file.Changed:
		f.hint = "run hob setup again"
	case ok:
		f.code = "agent_settings"
	case errors.Is(err, fs.ErrPermission):
		f.code, f.hint = "permission", "check the owner of the file (sudo keeps HOME: use sudo -H)"
	case os.Getenv("HOME") == "":
		f.code, f.hint = "no_home", "set HOME"
	default:
		f.hint = ""
	}
	if part, ok := errors.AsType[*agents.PartialError](err); ok {
		f.hint = "already changed: " + strings.Join(part.Changed, ", ")
		if len(part.Backups) > 0 {
			f.hint += "; previous versions: " + strings.Join(part.Backups, ", ")
		}
		f.hint += "; run hob setup again to finish"
	}
	return f
}
