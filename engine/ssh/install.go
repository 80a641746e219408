package ssh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/holderfile"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/shellword"
)

// Installed is the result of [Backend.InstallHolder].
type Installed struct {
	Program string // its path on the host
	Build   string // of hob; empty: unknown
	Copied  int64  // bytes; 0: it was there already
}

// InstallHolder copies the program hob-holder to the user's data directory on host, unless it is there
// already. file is a hob-holder for the system of the host; if it is empty, the one beside this program
// is copied. After an error the host is as before. It may prompt.
func (b *Backend) InstallHolder(ctx context.Context, host, file string) (Installed, error) {
	h := b.host(host)
	c, err := h.connect(ctx, true)
	if err != nil {
		return Installed{}, unreachable(host, err)
	}
	return h.installOn(ctx, c, file)
}

// installOn copies file, or the hob-holder beside this program, over the connection c.
func (h *host) installOn(ctx context.Context, c *conn.Conn, file string) (Installed, error) {
	f, about, err := h.programFor(c.Host.System, file)
	if err != nil {
		return Installed{}, err
	}
	defer f.Close()
	p := recipe.Program{Name: about.Name(), Size: about.Size, Sum: about.Sum}
	a, err := h.ask(ctx, quick, recipe.Installed(p), askOptions{asks: true, files: true})
	if err != nil {
		return Installed{}, err
	}
	there, word, text := recipe.ParseInstalled(a.Out)
	copied := int64(0)
	if word == "" && there.Program == "" {
		if a, err = h.send(ctx, c, p, f); err != nil {
			return Installed{}, unreachable(h.name, err)
		}
		there, word, text = recipe.ParseInstalled(a.Out)
		copied = about.Size
	}
	if word != "" {
		return Installed{}, h.notInstalled(about, word, text)
	}
	h.askPrograms(ctx, c)
	return Installed{Program: there.Program, Build: there.Build, Copied: copied}, nil
}

// programFor opens the hob-holder for a host whose uname prints system.
func (h *host) programFor(system, file string) (*os.File, holderfile.File, error) {
	want, known := holderfile.SystemOf(system)
	if file == "" {
		if !known {
			return nil, holderfile.File{}, fmt.Errorf("%sthere is no hob-holder for its system, %s", hostname.Prefix(h.name), system)
		}
		var err error
		file, err = h.b.findHolder(want)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, holderfile.File{}, fmt.Errorf("%sits system is %s, and %w. Name a hob-holder for it with --holder FILE", hostname.Prefix(h.name), want, err)
		}
		if err != nil {
			return nil, holderfile.File{}, err
		}
	}
	f, about, err := holderfile.Open(file)
	if err != nil {
		return nil, about, err
	}
	if known && about.System != want {
		f.Close()
		return nil, about, fmt.Errorf("%s is for %s, and the system of %s is %s", file, about.System, h.name, want)
	}
	return f, about, nil
}

// slowest is the slowest line, in bytes per second, over which a program is still copied.
const slowest = 2 << 10

// send copies the program over a session of its own. A server that allows one session gives the one
// that is open.
func (h *host) send(ctx context.Context, c *conn.Conn, p recipe.Program, from io.Reader) (shell.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+time.Duration(p.Size/slowest)*time.Second)
	defer cancel()
	class := slow
	s, err := c.Own(ctx, class)
	if errors.Is(err, shell.ErrNoSlot) {
		class = quick
		s, err = c.Own(ctx, class)
	}
	if err != nil {
		return shell.Answer{}, err
	}
	next := func() []byte { // a file that cannot be read to its end arrives incomplete
		buf := make([]byte, 32<<10)
		n, _ := io.ReadFull(from, buf)
		if n == 0 {
			return nil
		}
		return buf[:n]
	}
	a, err := s.Stream(ctx, recipe.Install(p, rand.Text()), askLimit, next)
	if err != nil || class != quick {
		return a, err
	}
	return a, c.Reopen(ctx, class)
}

// notInstalled is the error for a host that has refused a program.
func (h *host) notInstalled(f holderfile.File, word, text string) error {
	reason := map[string]string{
		"home":   "HOME is not set there",
		"unsafe": text + ". Correct that there, and install again",
		"mkdir":  "cannot create the directory " + text,
		"write":  "cannot write the program: " + text,
		"cut":    "the copy is incomplete: " + text + ". The disk may be full, or the connection was cut",
		"tool":   "the copy cannot be verified: there is no sha256sum, shasum or openssl",
		"sum":    "the copy differs from " + f.Path + ". Install again",
		"run": "the program does not run there: " + text + ". The home directory may be mounted noexec: " +
			"set XDG_DATA_HOME there to a directory whose programs may run",
	}[word]
	if reason == "" {
		reason = "unexpected answer: " + word + " " + text
	}
	return fmt.Errorf("%snothing was installed, and jobs run without it as before: %s", hostname.Prefix(h.name), reason)
}

// HolderUse is an installed hob-holder on a host.
type HolderUse struct {
	Program string // its path there
	Build   string // the name of its directory
	Running int    // jobs that it holds
	Removed bool   // by [Backend.UninstallHolders]
	Err     error  // why it could not be removed
}

// UninstallHolders deletes the installed programs hob-holder on host that hold no job. It may prompt.
func (b *Backend) UninstallHolders(ctx context.Context, host string) ([]HolderUse, error) {
	h := b.host(host)
	c, err := h.connect(ctx, true)
	if err != nil {
		return nil, unreachable(host, err)
	}
	a, err := h.ask(ctx, slow, recipe.RemovePrograms(), askOptions{asks: true, files: true})
	if err != nil {
		return nil, err
	}
	h.askPrograms(ctx, c)
	uses, why := recipe.ParseProgramUsers(a.Out)
	if why != "" {
		return nil, fmt.Errorf("%snothing was removed: %s", hostname.Prefix(host), why)
	}
	list := make([]HolderUse, 0, len(uses))
	for _, u := range uses {
		use := HolderUse{
			Program: u.Program,
			Build:   path.Base(path.Dir(u.Program)),
			Running: u.Running,
			Removed: u.What == "removed",
		}
		if u.What == "failed" {
			use.Err = errors.New(u.Program)
		}
		list = append(list, use)
	}
	return list, nil
}

// holders is a step of a check: which hob-holder is there, and what runs it.
func (k *checker) holders(ctx context.Context) bool {
	began := time.Now()
	a, err := k.conn.Do(ctx, quick, recipe.ProgramUsers(), askLimit)
	if err != nil {
		return k.step("holder", began, "", err)
	}
	uses, _ := recipe.ParseProgramUsers(a.Out)
	return k.step("holder", began, k.b.describeHolders(k.host, k.conn.Programs(), uses), nil)
}

// describeHolders has a line for each hob-holder of a host.
func (b *Backend) describeHolders(host string, p recipe.Programs, uses []recipe.ProgramUse) string {
	running := map[string]int{}
	var lines []string
	for _, u := range uses {
		running[u.Program] = u.Running
	}
	chosen, any := b.host(host).usable(p)
	speaking, _ := speaker(p.Holders)
	for _, one := range p.Holders {
		line := one.Program
		if one.Build != "" {
			line += ", " + one.Build
		}
		if n := running[one.Program]; n > 0 {
			line += fmt.Sprintf(", holds %d", n)
		}
		switch {
		case any && one == chosen:
			line += ", for new jobs"
		case one.Program == speaking:
			line += ", for jobs that run"
		}
		lines = append(lines, line)
	}
	if !any {
		lines = append([]string{"shell scripts run new jobs; to change that: hob hosts install " + shellword.Join([]string{host})}, lines...)
	}
	for _, why := range p.Unfit {
		lines = append(lines, "not used: "+why)
	}
	for _, u := range uses {
		if u.What == "deleted" {
			lines = append(lines, u.Program+" was deleted while a job runs with it; to reach that job: hob hosts install "+shellword.Join([]string{host}))
		}
	}
	return strings.Join(lines, "\n")
}
