package ui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
)

// sixtyJobs is an engine with sixty jobs, a few of which matter.
func sixtyJobs() *fake {
	f := three()
	ended := func(j engine.Job, ago time.Duration) engine.Job {
		j.Exit.At = noon.Add(-ago)
		return j
	}
	waiting := running("apply-aaaaa", "terraform apply", 2*time.Minute)
	waiting.Waiting = true
	cpu := 87.4
	train := running("train-aaaaa", "train.py --epochs 200 --resume", 6*time.Hour)
	train.CPU, train.RSS = &cpu, 3<<30
	remote := running("eval-aaaaa", "eval.py", time.Hour)
	remote.Host, remote.Link = "gpu2", engine.LinkOK
	server := running("server-bbbbb", "server", time.Minute)
	server.RestartedFrom = "server-aaaaa"
	before := ended(exited(running("server-aaaaa", "server", time.Hour), 0), time.Minute)
	seen := ended(exited(running("lint-aaaaa", "lint", time.Hour), 1), 30*time.Second)
	seen.Seen = true
	f.jobs = append(f.jobs, waiting, train, remote, server, before, seen)
	for i := len(f.jobs); i < 60; i++ {
		name := fmt.Sprintf("task %d", i)
		f.jobs = append(f.jobs, ended(exited(running(fmt.Sprintf("task-%d", i), name, 5*time.Hour), 0), time.Duration(i)*time.Minute))
	}
	return f
}

func TestSixtyJobs(t *testing.T) {
	for _, size := range [][2]int{{160, 50}, {120, 40}, {100, 30}, {80, 24}, {40, 12}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, size[0], size[1], sixtyJobs())
				golden.RequireEqual(t, s.screen()+"\n")
			})
		})
	}
	for name, dark := range map[string]bool{"dark": true, "light": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				theme, err := themes.Named(name, dark)
				if err != nil {
					t.Fatal(err)
				}
				s := newHarness(t, 120, 40, sixtyJobs(), WithTheme(theme))
				s.press("j")
				golden.RequireEqual(t, s.pane.View()+"\n")
			})
		})
	}
}
