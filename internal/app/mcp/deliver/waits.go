package deliver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

const (
	waitsDir = "waits" // in the directory of a job
	// maxWaitFile is the maximum size of a record in bytes.
	maxWaitFile = 64 << 10
)

// waits are the waits in progress of this server.
type waits struct {
	mu      sync.Mutex
	running map[string]bool // by task id
}

// fileOf returns the name of the file with the record of a wait.
func fileOf(w *tool.Wait) string { return w.Name + ".json" }

// RecordWait records the wait that an answer leaves.
func (d *Delivery) RecordWait(ans *tool.Answer) error {
	w := ans.Wait
	w.Version, w.Name = 1, strings.ToLower(rand.Text()[:8])
	return tool.Failed(ans.Job, "wait for", d.writeWait(w))
}

// writeWait writes the record of a wait to the directory of each of its jobs that still exists.
func (d *Delivery) writeWait(w *tool.Wait) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	err = engine.ErrNotFound
	for _, id := range w.Jobs {
		switch writeErr := d.Notes.WriteText(string(id), waitsDir, fileOf(w), append(data, '\n')); {
		case writeErr == nil && errors.Is(err, engine.ErrNotFound):
			err = nil
		case writeErr != nil && !errors.Is(writeErr, fs.ErrNotExist):
			return writeErr
		}
	}
	return err
}

// readWait reads the record of a wait whose first job is id; ErrNotFound if there is none. If that job
// was deleted, the directory of another job has the record.
func (d *Delivery) readWait(id engine.ID, name string) (*tool.Wait, error) {
	w := &tool.Wait{Name: name}
	for data := range d.Notes.Texts(string(id), waitsDir, fileOf(w), maxWaitFile) {
		if json.Unmarshal(data, w) == nil && len(w.Jobs) > 0 && w.Jobs[0] == id {
			return w, nil
		}
		w = &tool.Wait{Name: name}
	}
	return nil, engine.ErrNotFound
}

// findWait returns a wait and one of its jobs: the first one that exists.
func (d *Delivery) findWait(ctx context.Context, id engine.ID, name string) (j engine.Job, w *tool.Wait, err error) {
	if w, err = d.readWait(id, name); err != nil {
		return j, nil, err
	}
	for _, id := range w.Jobs {
		if j, err = d.Eng.Handle(id).LastFacts(ctx); !errors.Is(err, engine.ErrNotFound) {
			break
		}
	}
	return j, w, err
}

// endWait records the end of a wait, unless it has one.
func (d *Delivery) endWait(w *tool.Wait, end tool.Waited) error {
	d.waits.mu.Lock()
	defer d.waits.mu.Unlock()
	now, err := d.readWait(w.Jobs[0], w.Name)
	if err != nil {
		return err
	}
	if now.End == nil {
		now.End = &end
		err = d.writeWait(now)
	}
	*w = *now
	return err
}

// carryOut waits in the background until a wait ends, and records its end. It does nothing if this
// server is already doing so.
func (d *Delivery) carryOut(w *tool.Wait) {
	d.waits.mu.Lock()
	defer d.waits.mu.Unlock()
	id := w.TaskID()
	if d.waits.running[id] {
		return
	}
	d.waits.running[id] = true
	copied := *w
	d.Work.Go(func() {
		defer func() {
			d.waits.mu.Lock()
			delete(d.waits.running, id)
			d.waits.mu.Unlock()
		}()
		end, ok := d.tools.Await(d.Life, &copied, copied.Deadline)
		if !ok {
			return
		}
		if err := d.endWait(&copied, end); err != nil {
			d.Log.Debug("the end of a wait is not recorded", "task", id, "err", err)
		}
	})
}
