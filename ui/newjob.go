package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

// The fields of the form for a new job.
const (
	fieldCommand = "Command"
	fieldDir     = "Directory"
	fieldHost    = "Host"
	fieldOptions = "Options"
)

// newJob asks what to run.
func (p *Pane) newJob() tea.Cmd {
	asked := jobText{}
	if j, ok := p.list.Selected(); ok && j.Host == "" && !badPlace(j) {
		asked.dir = p.tilde(j.Dir)
	}
	return p.openJobForm("New job", engine.Spec{}, asked)
}

// badPlace reports whether a job may have failed because of its directory, so that
// it is nothing to offer for the next one. What failed for a program that is not
// executable has the same code, and loses little by it.
func badPlace(j engine.Job) bool {
	const unusable = 126
	return j.Status == engine.Failed && j.Exit.Code != nil && *j.Exit.Code == unusable
}

// editRestart asks for the command of a job again, to run it as a new one.
func (p *Pane) editRestart(jobs []engine.Job) tea.Cmd {
	j := jobs[0]
	spec := engine.Spec{Size: j.Size, Grace: j.Grace.Duration(), LogLimit: j.LogCap(), Labels: j.Labels, RestartedFrom: j.ID}
	return p.openJobForm("Edit and restart "+p.shortName(j), spec, jobText{commandText(j), p.tilde(j.Dir), j.Host, optionsOf(j)})
}

// jobText is what stands in the form for a job.
type jobText struct{ command, dir, host, options string }

// jobForm asks for command, directory, host and options of a job. What was typed
// and not started comes back with the next form of its kind.
type jobForm struct {
	*prompt.Form
	pane  *Pane
	spec  engine.Spec // what it does not ask for
	asked jobText     // what is offered
	first jobText     // what it begins with: that, or what was typed before
	back  bool        // first was typed before
}

// openJobForm starts spec with what is typed.
func (p *Pane) openJobForm(title string, spec engine.Spec, asked jobText) tea.Cmd {
	f := &jobForm{pane: p, spec: spec, asked: asked, first: asked}
	if draft, ok := p.drafts[spec.RestartedFrom]; ok {
		f.first, f.back = draft, true
	}
	f.Form = p.jobFields(title, f.first)
	if f.back {
		f.SetNote("It has what you had typed before.")
	}
	return p.openForm(f.Form, formActions{
		accept: f.accept, cancel: f.cancel,
		complete: func() tea.Cmd { return p.complete(f.Form) },
		changed:  followHost(f.Form, asked, f.first.host),
	})
}

func (p *Pane) jobFields(title string, first jobText) *prompt.Form {
	form := prompt.NewForm(title, p.promptKeys(), p.styles.Prompt, p.styles.Dialog, p.opts.glyphs)
	starts := prompt.WithVerb("start")
	form.Add(fieldCommand, first.command, starts, prompt.WithPlaceholder("npm run dev"), prompt.WithHistory(p.commands()), p.withLines())
	form.Add(fieldDir, first.dir, starts, prompt.WithPlaceholder(dirHint(first.host)))
	form.Add(fieldHost, first.host, starts, prompt.WithPlaceholder(p.hostHint()), prompt.WithSuggestions(p.knownHosts()))
	form.Add(fieldOptions, first.options, starts, prompt.WithPlaceholder("--name web --timeout 10m -e PORT=80 --no-pty"))
	form.SetNote("It runs in the background; sh reads the command.")
	return form
}

func (f *jobForm) text() jobText {
	return jobText{f.Value(fieldCommand), f.Value(fieldDir), f.Value(fieldHost), f.Value(fieldOptions)}
}

// cancel keeps what was typed.
func (f *jobForm) cancel() tea.Cmd {
	p, key, typed := f.pane, f.spec.RestartedFrom, f.text()
	if typed == f.asked || typed.command == "" && typed.options == "" {
		if f.back { // else what is there now was refused meanwhile
			delete(p.drafts, key)
		}
		return nil
	}
	p.drafts[key] = typed
	if typed == f.first {
		return nil // it is known to be kept
	}
	again := p.opts.keys.Jobs.New
	if key != "" {
		again = p.opts.keys.Jobs.EditRestart
	}
	return p.say(toast.Info, "nothing was started; "+p.keyLabel(again)+" brings back what you typed")
}

// accept starts the job. What was typed is kept if the engine refuses it.
func (f *jobForm) accept() (cmd tea.Cmd, wrong string) {
	p, key, typed, s := f.pane, f.spec.RestartedFrom, f.text(), f.spec
	s.Script, s.Backgrounded, s.Host = strings.TrimSpace(typed.command), true, strings.TrimSpace(typed.host)
	if s.Script == "" {
		return nil, "what shall run?"
	}
	if err := applyOptions(&s, typed.options); err != nil {
		f.Go(fieldOptions)
		return nil, cells.Clean(err.Error())
	}
	if s.Dir = strings.TrimSpace(typed.dir); s.Host == "" {
		s.Dir = p.untilde(s.Dir)
	}
	delete(p.drafts, key)
	p.tried = remember(p.tried, s.Script) // a start that fails leaves no job
	return p.start(s, func() {
		if _, newer := p.drafts[key]; !newer {
			p.drafts[key] = typed
		}
	}), ""
}

// followHost keeps a form's directory and host together: one of this machine that
// was offered is nothing for a host, where it gives way to the home directory. host
// is what the form begins with.
func followHost(form *prompt.Form, asked jobText, host string) (changed func()) {
	abroad, gone := host != "", false
	return func() {
		host := strings.TrimSpace(form.Value(fieldHost))
		if (host != "") == abroad {
			return
		}
		abroad = !abroad
		form.SetPlaceholder(fieldDir, dirHint(host))
		switch dir := form.Value(fieldDir); {
		case abroad && asked.host == "" && dir == asked.dir:
			form.SetValue(fieldDir, "")
			gone = true
		case !abroad && gone && dir == "":
			form.SetValue(fieldDir, asked.dir)
		}
	}
}

// dirHint says what an empty directory means.
func dirHint(host string) string {
	if host != "" {
		return "the home directory there"
	}
	return "where hob runs"
}

// withLines lets a field have several lines, as a pasted script has.
func (p *Pane) withLines() prompt.Option {
	if p.ascii() {
		return prompt.WithLines("^J")
	}
	return prompt.WithLines("↵")
}

// commands are what ran before, newest first, each once.
func (p *Pane) commands() []string {
	jobs := make([]engine.Job, 0, len(p.jobs))
	for _, j := range p.jobs {
		jobs = append(jobs, j.Job)
	}
	slices.SortFunc(jobs, func(a, b engine.Job) int { return b.CreatedAt.Compare(a.CreatedAt) })
	all := slices.Clone(p.tried)
	seen := map[string]bool{}
	for _, text := range all {
		seen[text] = true
	}
	for _, j := range jobs {
		if text := commandText(j); text != "" && !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	return all
}

// knownHosts are the hosts of jobs and those that the host program named.
func (p *Pane) knownHosts() []string {
	hosts := slices.Clone(p.opts.hosts)
	for _, j := range p.jobs {
		if j.Host != "" && !slices.Contains(hosts, j.Host) {
			hosts = append(hosts, j.Host)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// hostHint says in an empty field what it means, and what else could stand there.
func (p *Pane) hostHint() string {
	const named = 3
	hint, hosts := "this machine", p.knownHosts()
	if len(hosts) == 0 {
		return hint
	}
	hint += ", or " + strings.Join(hosts[:min(named, len(hosts))], ", ")
	if more := len(hosts) - named; more > 0 {
		hint += fmt.Sprintf(" and %d more", more)
	}
	return cells.Clean(hint)
}

// tilde abbreviates the home directory, untilde puts it back.
func (p *Pane) tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, p.opts.home); ok && p.opts.home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

func (p *Pane) untilde(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && p.opts.home != "" && (rest == "" || rest[0] == '/') {
		return p.opts.home + rest
	}
	return path
}
