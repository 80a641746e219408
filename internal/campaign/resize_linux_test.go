package campaign

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

var resizes = flag.Int("campaign.resizes", 60, "how many times to change the size of each client's terminal")

// mostOfClient is the memory that a client may take whatever its terminal's size is, in bytes: 57 MiB for two
// copies of the widest and highest screen that is drawn, with 112 bytes for each cell; those that they replace; and
// its program. The renderer keeps the copies when the terminal gets smaller.
const mostOfClient = 160 << 20

// collect makes a client collect its garbage while it has less than that, so that what it takes is what it keeps.
const collect = "GOMEMLIMIT=120MiB"

// TestResizeStorm changes the sizes of the terminals of three clients that are attached to one job, to
// ordinary and to huge ones. In the end the job has the size of its clients, all show its screen, and
// none has kept more memory than a screen takes.
func TestResizeStorm(t *testing.T) {
	testtool.Need(t, "stty")
	for name, most := range map[string][2]int{"ordinary": {250, 80}, "huge": {1200, 1200}} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "huge" {
				t.Skip("-short: it measures memory, of which the race detector needs a multiple")
			}
			w := newWorld(t)
			id := w.Must(t, "run", "-b", "-c", "echo up; while read x; do stty size; done")
			w.Must(t, "wait", "--for", "up", id)
			clients := make([]*screen, 3)
			for i := range clients {
				client := w.Command("attach", id)
				client.Env = append(client.Env, collect)
				var err error
				if clients[i], err = show(client); err != nil {
					t.Fatal(err)
				}
				defer func() {
					clients[i].kill()
					clients[i].close()
					<-clients[i].ended
				}()
				if err := stage.Eventually("the client shows the job", func() bool { return strings.Contains(clients[i].text(), "up") }); err != nil {
					t.Fatalf("%v\n%s", err, clients[i].text())
				}
			}
			storm(t, clients, most)
			rows := strings.Fields(w.settledSize(t, id, clients))
			if len(rows) != 2 || rows[1] != "100" {
				t.Errorf("the job's size is %v", rows)
			}
			for i, c := range clients {
				if m := resident(t, c.cmd.Process.Pid); !testing.Short() && m > mostOfClient {
					t.Errorf("client %d takes %d bytes", i, m)
				}
			}
			w.Must(t, "kill", id)
		})
	}
}

// storm resizes the terminals of all clients to random sizes, and at last to that which they began with.
func storm(t *testing.T, clients []*screen, most [2]int) {
	t.Helper()
	for n := range *resizes + 1 {
		for _, c := range clients {
			cols, rows := 1+rand.IntN(most[0]), 1+rand.IntN(most[1])
			if n == *resizes {
				cols, rows = 100, 30
			}
			if err := c.resize(cols, rows); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// settledSize waits until the job and its clients agree: it returns the size that the job's terminal
// reports, once every client shows what the job's screen shows.
func (w *world) settledSize(t *testing.T, id string, clients []*screen) (size string) {
	t.Helper()
	screenOf := ""
	same := func() bool {
		screenOf = strings.TrimRight(w.Must(t, "screen", id), " \n")
		lines := strings.Split(screenOf, "\n")
		size = lines[len(lines)-1]
		for _, c := range clients {
			if !strings.HasPrefix(c.text(), screenOf+"\n") {
				return false
			}
		}
		return true
	}
	// A resize may reach the job after the line.
	if err := stage.Eventually("all clients show the job's screen", func() bool {
		w.Must(t, "write", "--enter", id, "clear")
		return same() && strings.HasSuffix(size, " 100")
	}); err != nil {
		t.Errorf("%v\nthe job:\n%s", err, screenOf)
		for i, c := range clients {
			t.Log(fmt.Sprint("client ", i, ":\n", c.text()))
		}
	}
	return size
}
