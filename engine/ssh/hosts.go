package ssh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Host is how the link to a host stands.
type Host struct {
	Name string
	Link engine.Link // ok or unreachable; empty: not tried yet
	// Connecting: an attempt is under way.
	Connecting bool
	Since      time.Time // of Link
	Err        error     // why it is unreachable
	// Attention: it stays so until somebody does something; [Backend.Connect]
	// asks what there is to ask.
	Attention bool
	Hint      string
	LastSeen  time.Time // when it last answered
	Retry     time.Time // when it is tried again by itself; zero: it is not
	System    string    // "Linux x86_64"
	User      string
	Watched   int // jobs in sight
}

// Hosts lists the hosts that this backend was asked for since it was made, by
// name. It connects to none.
func (b *Backend) Hosts() []Host {
	b.mu.Lock()
	hosts := slices.Collect(maps.Values(b.hosts))
	b.mu.Unlock()
	list := make([]Host, 0, len(hosts))
	for _, h := range hosts {
		if h.name != "" {
			list = append(list, h.state())
		}
	}
	slices.SortFunc(list, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (h *host) state() Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Host{Name: h.name, Since: h.since, LastSeen: h.seen, Connecting: h.dialling != nil, Watched: len(h.watchers)}
	switch {
	case h.conn != nil:
		s.Link, s.System, s.User = engine.LinkOK, h.conn.host.System, h.conn.host.User
	case h.err != nil:
		s.Link, s.Err = engine.LinkUnreachable, h.err
		if he, ok := errors.AsType[*HostError](h.err); ok {
			s.Attention, s.Hint = he.Attention, he.Hint
		}
		if !s.Attention && len(h.watchers) > 0 {
			s.Retry = h.next
		}
	}
	return s
}

// Connect connects to host now, whatever happened before, and may ask. It is what
// a person wants who presses Enter on a host that needs attention.
func (b *Backend) Connect(ctx context.Context, host string) error {
	h := b.host(host)
	_, err := h.connect(ctx, interactive(ctx, true))
	h.kick()
	return unreachable(host, err)
}

// Known lists the names of hosts in the user's ssh configuration, for completion.
func (b *Backend) Known() []string { return hostconf.Hosts(b.dialer.ConfigFile) }

// Step is one step of [Backend.Check].
type Step struct {
	Name string // config, connect, log in, shell, job directory, tools, job
	OK   bool
	Text string // what was found, or what is wrong
	Hint string // what to do about it; may be empty
	Err  error  // what is wrong; nil if OK
	Took time.Duration
}

// Check says step by step what works with host, on a connection of its own. It
// calls report after each step and stops at the first that fails; it reports
// whether there was none.
func (b *Backend) Check(ctx context.Context, host string, report func(Step)) bool {
	k := checker{b: b, host: host, report: report}
	defer k.close()
	return k.config(ctx) && k.connect(ctx) && k.shell(ctx) && k.tools(ctx) && k.job(ctx)
}

type checker struct {
	b      *Backend
	host   string
	report func(Step)
	tr     shell.Transport
	pool   *pool
	hello  recipe.Host
}

func (k *checker) step(name string, began time.Time, text string, err error) bool {
	s := Step{Name: name, OK: err == nil, Text: text, Err: err, Took: time.Since(began)}
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
	if c, ok, err := client.Enter(k.host); ok {
		if err != nil {
			return k.step("config", began, "", err)
		}
		return k.step("config", began, c.String(), nil)
	}
	c, err := k.b.dialer.Resolve(ctx, k.host)
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
	tr, err := k.b.reach(WithInteraction(ctx, interactive(ctx, true)), k.host)
	if err != nil {
		name := "connect"
		if ce, ok := errors.AsType[*client.Error](err); ok {
			name = ce.Step
		}
		return k.step(name, began, "", err)
	}
	k.tr, k.pool = tr, &pool{tr: tr}
	text := "logged in"
	if t, ok := tr.(*client.Transport); ok && t.Attached {
		text = "uses the connection of your ssh (ControlMaster)"
	} else if ok && t.Why != nil {
		text = "logged in by the ssh program: " + strings.Join(t.Why, ", ")
	}
	if _, ok := tr.(*client.Container); ok {
		text = "a container"
	}
	return k.step("connect", began, text, nil)
}

func (k *checker) shell(ctx context.Context) bool {
	began := time.Now()
	a, err := k.pool.do(ctx, quick, k.b.hello(k.host), askLimit)
	if err != nil {
		e := noShell(k.tr, err)
		e.Err = fmt.Errorf("no sh answers there: %w", err)
		if errors.Is(err, shell.ErrTimeout) || breaks(k.tr) {
			e.Hint = "the connection fell silent, or broke; or the start-up files of the account wait for something"
		}
		return k.step("shell", began, "", e)
	}
	k.hello = recipe.ParseHello(a.Out)
	switch {
	case k.hello.Posh:
		err = errors.New("sh is posh, whose kill hits other processes than it is told: jobs there cannot be stopped")
	case k.hello.Base == "":
		err = &client.Error{Err: errors.New("there is no HOME and no HOB_STATE_DIR: no place for jobs"), Hint: stateDirHint(k.host)}
	}
	return k.step("shell", began, fmt.Sprintf("%s, user %s, jobs in %s", k.hello.System, k.hello.User, k.hello.Base), err)
}

// required are the programs that no job can be without.
func required() []string {
	return []string{"cat", "date", "dd", "grep", "ln", "ls", "mkdir", "mv", "rm", "sleep", "tr", "wc"}
}

func (k *checker) tools(ctx context.Context) bool {
	began := time.Now()
	script := "for h_z in " + strings.Join(required(), " ") + `; do command -v "$h_z" >/dev/null 2>&1 || echo "$h_z"; done`
	a, err := k.pool.do(ctx, quick, script, askLimit)
	var logout shell.Answer
	if err == nil {
		logout, err = k.pool.do(ctx, quick, logoutLook, askLimit)
	}
	if missing := strings.Fields(string(a.Out)); err == nil && len(missing) > 0 {
		err = &client.Error{Err: errors.New("not there: " + strings.Join(missing, ", ")), Hint: "jobs there need them in the PATH that a command of ssh gets"}
	}
	if err != nil {
		return k.step("tools", began, "", err)
	}
	have := func(tool string) bool { return slices.Contains(k.hello.Tools, tool) }
	var lacks []string
	if !have("setsid") && !have("perl") {
		lacks = append(lacks, "no setsid and no perl: only shells with job control give jobs a process group")
	}
	if !have("script") {
		lacks = append(lacks, "no script: jobs cannot have a terminal")
	}
	if !have("mkfifo") {
		lacks = append(lacks, "no mkfifo: jobs cannot be given input")
	}
	if !have("fallocate") {
		lacks = append(lacks, "no fallocate: logs are not capped")
	}
	if !k.hello.Proc && !have("ps") {
		lacks = append(lacks, "neither /proc nor ps: processes cannot be told apart")
	}
	if endsAtLogout(string(logout.Out), k.hello.User) {
		lacks = append(lacks, "jobs end with hob's connection: logind.conf there says KillUserProcesses=yes, and KillExcludeUsers= without "+k.hello.User)
	}
	text := "all there"
	if len(lacks) > 0 {
		text = strings.Join(lacks, "; ")
	}
	return k.step("tools", began, text, nil)
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
	only := says["KillOnlyUsers"]
	return slices.Equal(says["KillUserProcesses"], []string{"b", "true"}) && !named(says["KillExcludeUsers"]) && (len(only) < 3 || named(only))
}

// job starts a job that says a word, reads it and deletes it.
func (k *checker) job(ctx context.Context) bool {
	began := time.Now()
	// By this name it is no job in any list there, and the next sweep takes it if the
	// connection breaks before it is deleted.
	id := ".gone-check-" + rand.Text()[:5]
	word := rand.Text()
	j := recipe.Job{
		Base: k.hello.Base, ID: id, Token: rand.Text(), Owner: recipe.OneWord(k.b.machine), Meta: []byte("{}\n"), Script: "echo " + word, Grace: time.Second,
	}
	a, err := k.pool.do(ctx, slow, recipe.Spawn(j, rand.Text()), spawnLimit)
	if err != nil {
		return k.step("job", began, "", err)
	}
	s, kept := recipe.ParseSpawn(a.Out), ""
	ask := func(script string) ([]byte, error) {
		a, err := k.pool.do(ctx, slow, script, spawnLimit)
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
		e := &client.Error{Err: fmt.Errorf("%s: %s", k.host, reasonOf(s))}
		if slices.Contains(homeless, s.Error) {
			e.Hint = stateDirHint(k.host)
		}
		return k.step("job", began, "", e)
	}
	entry := s.List.Jobs[id]
	for entry == nil || !entry.Over {
		if a, err = k.pool.do(ctx, quick, "nap\n"+recipe.List(j.Base, []string{id}), askLimit); err != nil {
			return k.step("job", began, "", err)
		}
		if entry = recipe.ParseList(a.Out).Jobs[id]; time.Since(began) > spawnLimit {
			return k.step("job", began, "", errors.New("it does not end"))
		}
	}
	out, err := k.pool.do(ctx, bulk, recipe.Fetch(s.Dir+"/output.log", recipe.Cover(0, 4096)), askLimit)
	if err == nil && strings.TrimSpace(string(out.Out)) != word {
		err = fmt.Errorf("it printed %q instead of one word", out.Out)
	}
	if err == nil && (entry.Code == nil || *entry.Code != 0) {
		err = errors.New("its exit code was not recorded")
	}
	if _, cleanErr := k.pool.do(ctx, quick, recipe.Discard(s.Dir, j.Token), askLimit); err == nil {
		err = cleanErr
	}
	return k.step("job", began, "started ("+s.Mode+"), read, deleted"+kept, err)
}

func (k *checker) close() {
	if k.tr != nil {
		k.tr.Close()
		k.pool.close()
	}
}
