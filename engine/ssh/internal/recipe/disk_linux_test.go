package recipe

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// fill takes what is left of the disk at dir, and returns how to give it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	file := filepath.Join(dir, "fill")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, step := range []int{64 << 10, 4 << 10, 1} {
		for {
			if _, err := f.Write(make([]byte, step)); err != nil {
				break
			}
		}
	}
	return func() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// disk makes dir a file system of its own, and returns how to take that away.
func disk(t *testing.T, dir, options string) (unmount func()) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "mode=700,"+options); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	testtool.NeedMounts(t)
	eachShell(t, func(t *testing.T, p *place) {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(disk(t, p.base, "size=512k"))
		free := fill(t, p.base)
		j := p.job("echo never")
		if s := p.spawn(j); s.OK || s.Error != "write" {
			t.Errorf("on a full disk: %+v", s)
		}
		if _, err := os.Stat(filepath.Join(p.base, j.ID)); !os.IsNotExist(err) {
			t.Errorf("a start that failed left its directory: %v", err)
		}
		free()
		j = p.job(`until [ -e "$HOME/full" ]; do sleep 0.1; done; echo lost || echo refused >"$HOME/said"; exit 3`)
		p.start(j)
		defer fill(t, p.base)()
		if err := os.WriteFile(filepath.Join(p.home, "full"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 3 {
			t.Errorf("the disk was full at its end: code %s, want 3", show(e.Code))
		}
		if said, err := os.ReadFile(filepath.Join(p.home, "said")); err != nil || string(said) != "refused\n" {
			t.Errorf("the job got no error although its log cannot be written: %q, %v", said, err)
		}
	})
}

// Nothing of a job's directory is executed itself.
func TestNoExecution(t *testing.T) {
	testtool.NeedMounts(t)
	eachShell(t, func(t *testing.T, p *place) {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", p.base, "tmpfs", syscall.MS_NOEXEC, "mode=700,size=4m"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(p.base, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		j := p.job("echo ran; exit 4")
		p.start(j)
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 4 || p.file(j.ID, "output.log") != "ran\n" {
			t.Errorf("code %s", show(e.Code))
		}
	})
}

// A full disk loses neither the end of a job nor the client that requested it.
func TestEndOnAFullDisk(t *testing.T) {
	testtool.NeedMounts(t)
	eachShell(t, func(t *testing.T, p *place) {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(disk(t, p.base, "size=1m"))
		for _, how := range []string{"timeout", "kill", "wrapper killed"} {
			j := p.job("exec sleep 60")
			if how == "timeout" {
				j.Timeout = time.Second
			}
			dir := p.start(j).Dir
			free := fill(t, p.base)
			want := jobdir.ShellRequest{Reason: "kill", By: "cli"}
			switch how {
			case "timeout":
				want = jobdir.ShellRequest{Reason: "timeout", By: "timeout"}
			case "wrapper killed":
				syscall.Kill(p.list(j.ID).Wrapper.PID, syscall.SIGKILL)
				fallthrough
			case "kill":
				p.ask(Stop(dir, j.ID, StopOptions{Grace: patience, By: "cli", Reason: "kill"}))
			}
			e := p.ended(j.ID)
			if e.Code == nil || *e.Code != 143 || e.Ended == nil {
				t.Errorf("%s: code %s, ended %+v", how, show(e.Code), e.Ended)
			}
			if e.EndedBy == nil || e.EndedBy.Reason != want.Reason || e.EndedBy.By != want.By {
				t.Errorf("%s: ended by %+v, want %+v", how, e.EndedBy, want)
			}
			free()
		}
	})
}

// Wherever in a start the file system is full, the job is refused or fails; it does not
// run without what is needed to find and stop it.
func TestDiskFullInTheMiddleOfAStart(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	for name, option := range map[string]string{"files": "nr_inodes", "blocks": "nr_blocks"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "dash")
			if err := os.MkdirAll(p.base, 0o700); err != nil {
				t.Fatal(err)
			}
			for room := 1; !p.startsWith(option, room); room++ {
				if room > 50 {
					t.Fatal("it never runs")
				}
			}
		})
	}
}

// startsWith reports whether there is room enough for a job to be started, and to end.
func (p *place) startsWith(option string, room int) bool {
	t := p.t
	defer disk(t, p.base, option+"="+strconv.Itoa(room))()
	ran := filepath.Join(p.home, "ran")
	j := p.job(`echo ran >"$HOME/ran"; exit 3`)
	j.Stdin = true
	s := p.spawn(j)
	var code *int
	if s.OK {
		code = p.ended(j.ID).Code
	}
	_, err := os.Stat(ran)
	switch {
	case code != nil && *code == 3:
		if err != nil {
			t.Errorf("%s %d: exit code 3 of a job that did not run", option, room)
		}
		if _, err := os.Stat(filepath.Join(p.base, j.ID, "pid")); err != nil {
			t.Errorf("%s %d: it ran without its process being known", option, room)
		}
		return true
	case err == nil:
		t.Errorf("%s %d: it ran, and its exit code is %s; %+v", option, room, show(code), s)
	case s.OK:
		if code == nil || *code != 126 {
			t.Errorf("%s %d: it did not run, and its exit code is %s", option, room, show(code))
		}
	case !slices.Contains([]string{"mkdir", "mkfifo", "write"}, s.Error) || s.Text == "":
		t.Errorf("%s %d: %+v", option, room, s)
	default:
		if _, err := os.Stat(filepath.Join(p.base, j.ID)); !os.IsNotExist(err) {
			t.Errorf("%s %d: a start that failed (%s %s) left its directory: %v", option, room, s.Error, s.Text, err)
		}
	}
	return false
}

// The program on a disk without room, or whose programs may not run, is not installed, and what was
// there stays.
func TestInstallOnADiskThatPreventsIt(t *testing.T) {
	testtool.NeedMounts(t)
	eachShell(t, func(t *testing.T, p *place) {
		small, large := []byte("#!/bin/sh\necho hob-holder v1 5 linux/amd64\n"), standIn("v2")
		for name, disk := range map[string]struct {
			flags   uintptr
			options string
			word    string
		}{
			"full":   {0, "size=128k", "write"},
			"noexec": {syscall.MS_NOEXEC, "size=4m", "run"},
		} {
			q := newPlace(t, p.name)
			if h, word, text := q.install(programOf("v1", small), small); word != "" {
				t.Fatalf("%+v %q %q", h, word, text)
			}
			mount := filepath.Join(q.home, ".local/share/hob/v2")
			if err := os.Mkdir(mount, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("none", mount, "tmpfs", disk.flags, "mode=700,"+disk.options); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { syscall.Unmount(mount, syscall.MNT_DETACH) })
			if h, word, text := q.install(programOf("v2", large), large); word != disk.word || text == "" {
				t.Errorf("%s: %+v %q %q, want %s", name, h, word, text, disk.word)
			}
			if files, err := filepath.Glob(filepath.Join(mount, "*")); len(files) > 0 || err != nil {
				t.Errorf("%s: %q are left (%v)", name, files, err)
			}
			if h := ParseHello([]byte(q.ask(Hello("m1")))).Holders; len(h) != 1 || h[0].Build != "v1" {
				t.Errorf("%s: hello lists %+v", name, h)
			}
		}
	})
}
