package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// The fields of the form for a new job.
const (
	fieldCommand = "Command"
	fieldDir     = "Directory"
	fieldHost    = "Host"
	fieldOptions = "Options"
)

func (p *Pane) newJob() tea.Cmd {
	asked, from := jobText{}, ""
	if j, ok := p.list.Selected(); ok && j.Host == "" && !mayHaveBadDir(j) {
		asked.dir, from = detail.Tilde(j.Dir, p.opts.home), p.shortName(j)
	}
	return p.forms.open("New job", engine.Spec{}, asked, from)
}

// mayHaveBadDir reports whether a job may have failed because of its directory, so that it should not
// be offered for the next one. A program that is not executable has the same exit code.
func mayHaveBadDir(j engine.Job) bool {
	const unusable = 126
	return j.Status == engine.Failed && j.Exit.Code != nil && *j.Exit.Code == unusable
}

// editRestart opens the form with the command of a job, to restart it with the edited one.
func (p *Pane) editRestart(jobs []engine.Job) tea.Cmd {
	j := jobs[0]
	spec := j.Spec()
	spec.Command, spec.Size = nil, cmp.Or(j.Size, spec.Size)
	return p.forms.open("Edit and restart "+p.shortName(j), spec, jobText{j.CommandLine(), detail.Tilde(j.Dir, p.opts.home), j.Host, optionsOf(j)}, "")
}

// jobForms asks for new jobs and for what to change about a restarted one. A canceled form's text is kept
// for the next form of the same kind. What was asked for is started by the pane.
type jobForms struct {
	*labels
	tasks   *tasks
	jobs    *jobSet
	modal   *modal
	history *history
	list    *joblist.Model
	starter jobStarter
}

// jobStarter starts what a form asks for.
type jobStarter interface {
	// start starts a job and attaches to it on request. back is called if that fails.
	start(s engine.Spec, attach bool, back func()) tea.Cmd
	// attachedSize is the size of the terminal of a job that is attached.
	attachedSize() engine.Size
}

// jobForm asks for command, directory, host and options of a job. If it is canceled, the next
// form of the same kind restores the text.
type jobForm struct {
	*jobForms
	*prompt.Form
	spec  engine.Spec // everything that the form does not ask for
	asked jobText     // the suggested values
	first jobText     // the initial values: asked, or the restored text
	back  bool        // first is restored text
	from  string      // name of the job whose directory is suggested; empty: none
}

// open opens a form that starts spec with the typed values. from is the name of the job from which the
// directory comes, if the user might expect another one.
func (f *jobForms) open(title string, spec engine.Spec, asked jobText, from string) tea.Cmd {
	form := &jobForm{jobForms: f, spec: spec, asked: asked, first: asked, from: from}
	if draft, ok := f.history.drafts[spec.RestartedFrom]; ok {
		form.first, form.back = draft, true
	}
	form.Form = f.jobFields(title, form.first)
	if form.back {
		form.SetNote("Restored your draft.")
	}
	return f.modal.openForm(form.Form, prompt.Actions{
		Accept:   func() tea.Cmd { return form.accept(false) },
		Attach:   func() tea.Cmd { return form.accept(true) },
		Cancel:   form.cancel,
		Complete: form.completeField,
		Changed:  form.showOrigin(followHost(form.Form, asked, form.first.host)),
	})
}

// jobText has the texts of the form's fields.
type jobText struct{ command, dir, host, options string }

func (f *jobForm) text() jobText {
	return jobText{f.Value(fieldCommand), f.Value(fieldDir), f.Value(fieldHost), f.Value(fieldOptions)}
}

// cancel keeps the text for the next form.
func (f *jobForm) cancel() tea.Cmd {
	key, typed := f.spec.RestartedFrom, f.text()
	if typed == f.asked || typed.command == "" && typed.options == "" {
		if f.back { // otherwise a draft was stored in the meantime
			delete(f.history.drafts, key)
		}
		return nil
	}
	f.history.drafts[key] = typed
	return nil
}

// accept starts the job, and attaches to it on request.
func (f *jobForm) accept(attach bool) tea.Cmd {
	typed := f.text()
	s, field, err := f.request(typed)
	if err != nil {
		f.Go(field)
		f.SetError(cells.Clean(err.Error()))
		return nil
	}
	if attach && s.Size == (engine.Size{}) {
		s.Size = f.starter.attachedSize()
	}
	if s.Host != "" || s.Dir == "" {
		return f.start(s, typed, attach)
	}
	check := f.opts.checkDir
	return f.tasks.async(func(context.Context) func() tea.Cmd {
		err := check(s.Dir)
		return func() tea.Cmd {
			switch {
			case !f.modal.shows(f.Form): // closed meanwhile
				return nil
			case err != nil:
				f.Go(fieldDir)
				f.SetError(err.Error())
				return nil
			}
			return f.start(s, typed, attach)
		}
	})
}

// atPlace sets where s runs. Elsewhere, the queue, the jobs to wait for and the options for the
// scheduler have no meaning, and the form cannot remove them.
func atPlace(s *engine.Spec, host string) {
	if host != s.Host {
		s.Queue, s.After, s.AfterAny, s.SchedulerArgs = "", nil, nil, nil
	}
	s.Host = host
}

// request returns the request for the typed values, or the invalid field and the error.
func (f *jobForm) request(typed jobText) (s engine.Spec, field string, err error) {
	s = f.spec
	s.Script, s.Backgrounded = strings.TrimSpace(typed.command), true
	atPlace(&s, strings.TrimSpace(typed.host))
	filter := f.opts.filter
	s.CreatedBy, s.Labels = filter.CreatedBy, withLabels(s.Labels, filter.Labels)
	if project := f.list.Project(); project != nil { // otherwise the job would not be shown
		s.Labels = withLabels(s.Labels, project.Labels)
	}
	if s.Script == "" {
		return s, fieldCommand, errors.New("enter a command")
	}
	given, err := applyOptions(&s, typed.options)
	if err == nil {
		err = checkOptions(s, given)
	}
	if err != nil {
		return s, fieldOptions, err
	}
	if s.Dir = strings.TrimSpace(typed.dir); s.Host == "" {
		s.Dir = f.untilde(s.Dir)
	}
	return s, "", nil
}

// withLabels merges more into labels.
func withLabels(labels, more map[string]string) map[string]string {
	if len(more) == 0 {
		return labels
	}
	all := map[string]string{}
	maps.Copy(all, labels)
	maps.Copy(all, more)
	return all
}

// start closes the form and starts the job. If the engine refuses, the text is kept.
func (f *jobForm) start(s engine.Spec, typed jobText, attach bool) tea.Cmd {
	key := f.spec.RestartedFrom
	f.modal.shut()
	delete(f.history.drafts, key)
	f.history.started(s.Script) // a failed start may leave no job with the command
	return f.starter.start(s, attach, func() {
		if _, newer := f.history.drafts[key]; !newer {
			f.history.drafts[key] = typed
		}
	})
}

// statDir returns an error if dir cannot be the directory of a job on this machine.
func statDir(dir string) error {
	info, err := os.Stat(dir)
	var bad *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such directory")
	case errors.As(err, &bad):
		return bad.Err
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("not a directory")
	}
	return nil
}

// followHost adapts the directory to the host: a suggested directory of this machine is replaced
// by the home directory when a host is entered. host is the initial host.
func followHost(form *prompt.Form, asked jobText, host string) (changed func()) {
	abroad, gone := host != "", false
	return func() {
		host := strings.TrimSpace(form.Value(fieldHost))
		if (host != "") == abroad {
			return
		}
		abroad = !abroad
		form.SetPlaceholder(fieldDir, dirHint(host))
		dir := form.Value(fieldDir)
		suggestedHere := asked.host == "" && dir == asked.dir
		switch {
		case abroad && suggestedHere:
			form.SetValue(fieldDir, "")
			gone = true
		case !abroad && gone && dir == "":
			form.SetValue(fieldDir, asked.dir)
		}
	}
}

// dirHint describes what an empty directory means.
func dirHint(host string) string {
	if host != "" {
		return "home directory on " + host
	}
	return "current directory"
}

// lineFeed returns the symbol for a line feed in a field that may have several lines, such as a
// pasted script.
func (l *labels) lineFeed() string {
	if l.ascii() {
		return "^J"
	}
	return "↵"
}

// untilde expands the home directory.
func (l *labels) untilde(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	user, _, _ := strings.Cut(rest, "/") // ~user is the home directory of another user
	if !ok || user != "" || l.opts.home == "" {
		return path
	}
	return l.opts.home + rest
}

func (f *jobForms) jobFields(title string, first jobText) *prompt.Form {
	form := prompt.NewForm(title, f.promptKeys(), f.styles)
	const verb = "start"
	form.Add(fieldCommand, first.command, prompt.Options{Verb: verb, Placeholder: "npm run dev", History: f.commands(), LineFeed: f.lineFeed()})
	form.Add(fieldDir, first.dir, prompt.Options{Verb: verb, Placeholder: dirHint(first.host)})
	form.Add(fieldHost, first.host, prompt.Options{Verb: verb, Placeholder: f.hostHint(), Suggestions: f.knownHosts()})
	form.Add(fieldOptions, first.options, prompt.Options{Verb: verb, Placeholder: "e.g. --name web --timeout 10m"})
	form.SetNote("Runs in the background with sh -c.")
	return form
}

// commands returns earlier commands, newest first, without duplicates.
func (f *jobForms) commands() []string {
	var all []string
	seen := map[string]bool{"": true}
	for _, text := range slices.Concat(f.history.commands, f.jobs.commands()) {
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	return all
}

// knownHosts returns the hosts of jobs and those named by the host program.
func (f *jobForms) knownHosts() []string {
	hosts := slices.Concat(f.opts.hosts, f.jobs.hosts())
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// hostHint describes in an empty field what it means and which hosts are known.
func (f *jobForms) hostHint() string {
	const named = 3
	hosts := f.knownHosts()
	if len(hosts) == 0 {
		return "local"
	}
	hint := strings.Join(hosts[:min(named, len(hosts))], ", ")
	if more := len(hosts) - named; more > 0 {
		hint += fmt.Sprintf(" and %d more", more)
	}
	return cells.Clean("local (or: " + hint + ")")
}
