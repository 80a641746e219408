package ssh

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
)

// Step is one step of [Backend.Check].
type Step struct {
	Name string // config, connect, log in, shell, job directory, tools, holder, job
	OK   bool
	Text string // what was found, or what is wrong
	Hint string // what to do about it; may be empty
	Err  error  // what is wrong; nil if OK
	Took time.Duration
}

// Check tests step by step what works with host, on a connection of its own. It calls report after
// each step and stops at the first that fails; it reports whether all steps passed.
func (b *Backend) Check(ctx context.Context, host string, report func(Step)) bool {
	k := checker{b: b, host: host, report: report}
	defer k.close()
	for _, step := range []func(context.Context) bool{k.config, k.connect, k.shell, k.tools, k.holders, k.job} {
		if !step(ctx) {
			return false
		}
	}
	return true
}

type checker struct {
	b      *Backend
	host   string
	report func(Step)
	conn   *conn.Conn // nil: not connected
}

func (k *checker) step(name string, began time.Time, text string, err error) bool {
	s := Step{
		Name: name,
		OK:   err == nil,
		Text: text,
		Err:  err,
		Took: time.Since(began),
	}
	if err != nil {
		s.Text = err.Error()
		if ce, ok := errors.AsType[*client.Error](err); ok {
			s.Hint = ce.Hint
		}
	}
	k.report(s)
	return err == nil
}

func (k *checker) config(ctx context.Context) bool {
	began := time.Now()
	host := k.host
	if login, ok := slurm.Login(host); ok {
		if host = login; login == "" {
			return k.step("config", began, "this machine", nil)
		}
	}
	if c, ok, err := client.Enter(host); ok {
		if err != nil {
			return k.step("config", began, "", err)
		}
		return k.step("config", began, c.String(), nil)
	}
	c, err := k.b.dialer.Resolve(ctx, host)
	if err != nil {
		return k.step("config", began, "", err)
	}
	text := fmt.Sprintf("%s@%s (%s)", c.User, c.Address(), c.Source)
	if len(c.ProxyJump) > 0 {
		text += ", through " + strings.Join(c.ProxyJump, ", ")
	}
	if c.ProxyCommand != "" {
		text += ", through a proxy command"
	}
	for _, w := range c.Warnings {
		text += "\n" + w
	}
	return k.step("config", began, text, nil)
}

func (k *checker) connect(ctx context.Context) bool {
	began := time.Now()
	ctx, cancel := k.b.limit(WithInteraction(ctx, interactive(ctx, true)), k.host)
	defer cancel()
	tr, err := k.b.reach(ctx, k.host)
	if err != nil {
		name := "connect"
		if ce, ok := errors.AsType[*client.Error](err); ok {
			name = ce.Step
		}
		return k.step(name, began, "", err)
	}
	k.conn = newConn(tr, k.host)
	text := "logged in"
	switch t := tr.(type) {
	case *client.Transport:
		if t.Attached {
			text = "uses the connection of your ssh (ControlMaster)"
		} else if t.Why != nil {
			text = "logged in by the ssh program: " + strings.Join(t.Why, ", ")
		}
	case *client.Container:
		text = "a container"
	}
	return k.step("connect", began, text, nil)
}

func (k *checker) shell(ctx context.Context) bool {
	began := time.Now()
	a, err := k.conn.Do(ctx, quick, k.b.hello(k.host), askLimit)
	if err != nil {
		e := noShell(k.conn.Transport, err)
		e.Err = fmt.Errorf("sh does not respond there: %w", err)
		if errors.Is(err, shell.ErrTimeout) || breaks(k.conn) {
			e.Hint = "the connection broke or stopped responding, or the start-up files of the account block or read their standard input"
		}
		return k.step("shell", began, "", e)
	}
	k.conn.Host = recipe.ParseHello(a.Out)
	if err = placeForJobs(k.host, k.conn.Host); k.conn.Host.Posh {
		err = errors.New("sh is posh, whose kill signals the wrong processes: jobs there cannot be stopped")
	}
	return k.step("shell", began, fmt.Sprintf("%s, user %s, jobs in %s", k.conn.Host.System, k.conn.Host.User, k.conn.Host.Base), err)
}

// required are the programs that no job can be without.
func required() []string {
	return []string{"cat", "date", "dd", "grep", "ln", "ls", "mkdir", "mv", "rm", "sleep", "tr", "wc"}
}

func (k *checker) tools(ctx context.Context) bool {
	began := time.Now()
	script := "for h_z in " + strings.Join(required(), " ") + `; do command -v "$h_z" >/dev/null 2>&1 || echo "$h_z"; done`
	a, err := k.conn.Do(ctx, quick, script, askLimit)
	var logout shell.Answer
	if err == nil {
		logout, err = k.conn.Do(ctx, quick, logoutLook, askLimit)
	}
	if missing := strings.Fields(string(a.Out)); err == nil && len(missing) > 0 {
		err = &client.Error{Err: errors.New("missing: " + strings.Join(missing, ", ")), Hint: "install them there, or add them to the PATH of commands that ssh runs"}
	}
	if err != nil {
		return k.step("tools", began, "", err)
	}
	lacks := k.scriptsLack()
	if user := k.conn.Host.User; endsAtLogout(string(logout.Out), user) {
		lacks = append(lacks, "jobs end with hob's connection: logind.conf there has KillUserProcesses=yes, and KillExcludeUsers= without "+user)
	}
	text := "all found"
	if len(lacks) > 0 {
		text = strings.Join(lacks, "; ")
	}
	return k.step("tools", began, text, nil)
}

// scriptsLack returns what the scripts that run new jobs cannot do on the host, for lack of a tool.
func (k *checker) scriptsLack() []string {
	if _, onCluster := slurm.Login(k.host); !onCluster {
		if _, ok := k.b.host(k.host).usable(k.conn.Programs()); ok {
			return nil // hob-holder runs them
		}
	}
	have := func(tool string) bool { return slices.Contains(k.conn.Host.Tools, tool) }
	var lacks []string
	for _, lack := range []struct {
		there bool
		text  string
	}{
		{!have("setsid") && !have("perl"), "no setsid and no perl: only shells with job control give jobs a process group"},
		{!have("script"), "no script: jobs cannot have a terminal"},
		{!have("mkfifo"), "no mkfifo: jobs cannot be given input"},
		{!have("fallocate"), "no fallocate: logs are not limited"},
		{!k.conn.Host.Proc && !have("ps"), "no /proc and no ps: processes cannot be identified"},
	} {
		if lack.there {
			lacks = append(lacks, lack.text)
		}
	}
	return lacks
}

// logoutLook asks systemd-logind whether the end of a login session ends what it left,
// if this is one: the answers are a line each, as busctl(1) prints properties.
const logoutLook = `case $(cat /proc/self/cgroup 2>/dev/null) in
*/session-*.scope*)
  for h_z in KillUserProcesses KillExcludeUsers KillOnlyUsers; do
    echo "$h_z $(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager "$h_z" 2>/dev/null)"
  done
  ;;
esac`

// endsAtLogout is what the answers to [logoutLook] mean for user.
func endsAtLogout(answers, user string) bool {
	says := map[string][]string{}
	for line := range strings.Lines(answers) {
		if f := strings.Fields(line); len(f) > 1 {
			says[f[0]] = f[1:]
		}
	}
	named := func(users []string) bool { return slices.Contains(users, `"`+user+`"`) }
	if !slices.Equal(says["KillUserProcesses"], []string{"b", "true"}) || named(says["KillExcludeUsers"]) {
		return false
	}
	only := says["KillOnlyUsers"]
	forAll := len(only) < 3
	return forAll || named(only)
}

// job starts a job that prints a marker, reads its output and deletes it.
func (k *checker) job(ctx context.Context) bool {
	began := time.Now()
	// Lists there ignore this name, and the next sweep deletes the directory if the
	// connection breaks first.
	id := ".gone-check-" + rand.Text()[:5]
	word := rand.Text()
	j := recipe.Job{
		Base:   k.conn.Host.Base,
		ID:     id,
		Token:  rand.Text(),
		Owner:  recipe.OneWord(k.b.machine),
		Meta:   []byte("{}\n"),
		Script: "echo " + word,
		Grace:  time.Second,
	}
	if _, ok := slurm.Login(k.host); ok {
		j.Cluster, j.Options = slurm.Name, append([]string{"--time=2"}, k.b.settings(k.host).Sbatch...)
	}
	a, err := k.conn.Do(ctx, slow, recipe.Spawn(j, rand.Text()), spawnLimit)
	if err != nil {
		return k.step("job", began, "", err)
	}
	s, kept := recipe.ParseSpawn(a.Out), ""
	ask := func(script string) ([]byte, error) {
		a, err := k.conn.Do(ctx, slow, script, spawnLimit)
		return a.Out, err
	}
	if base := k.b.spareBase(k.host, s, ask); base != "" {
		kept = fmt.Sprintf(", in %s since %s", base, reasonOf(s))
		j.Base = base
		out, err := ask(recipe.Spawn(j, rand.Text()))
		if err != nil {
			return k.step("job", began, "", err)
		}
		s = recipe.ParseSpawn(out)
	}
	if !s.OK {
		return k.step("job", began, "", &client.Error{Err: fmt.Errorf("%s: %s", k.host, reasonOf(s)), Hint: hintFor(k.host, s)})
	}
	entry := s.List.Jobs[id]
	for entry == nil || !entry.Over {
		if a, err = k.conn.Do(ctx, quick, "nap\n"+recipe.List(j.Base, []string{id}), askLimit); err != nil {
			return k.step("job", began, "", err)
		}
		if entry = recipe.ParseList(a.Out).Jobs[id]; time.Since(began) > spawnLimit {
			if entry != nil && entry.Number != "" && !entry.Claimed {
				return k.queued(ctx, began, s.Dir, &j, entry.Number)
			}
			return k.step("job", began, "", errors.New("the test job does not end"))
		}
	}
	out, err := k.conn.Do(ctx, bulk, recipe.Fetch(s.Dir+"/output.log", recipe.Cover(0, 4096)), askLimit)
	if err == nil {
		err = checkResult(out.Out, word, entry.Code)
	}
	_, discardErr := k.conn.Do(ctx, quick, recipe.Discard(s.Dir, j.Token), askLimit)
	return k.step("job", began, "started ("+s.Mode+"), read, deleted"+kept, cmp.Or(err, discardErr))
}

// checkResult returns an error for a test job that did not print the word or did not exit with 0.
func checkResult(output []byte, word string, code *int) error {
	switch {
	case strings.TrimSpace(string(output)) != word:
		return fmt.Errorf("the test job printed %q instead of one word", output)
	case code == nil, *code != 0:
		return errors.New("the exit code of the test job was not recorded")
	}
	return nil
}

// queued is the end of a check whose test job Slurm has accepted and not started.
func (k *checker) queued(ctx context.Context, began time.Time, dir string, j *recipe.Job, number string) bool {
	_, err := k.conn.Do(ctx, slow, recipe.Drop(dir, j.ID, j.Token, "check", "kill"), spawnLimit)
	return k.step("job", began, "submitted as "+number+", still waiting after "+spawnLimit.String()+", cancelled", err)
}

func (k *checker) close() {
	if k.conn != nil {
		k.conn.Shut()
	}
}
