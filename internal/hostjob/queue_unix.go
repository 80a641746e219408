//go:build linux || darwin

package hostjob

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
)

// keepQueues carries out q on the queues of the jobs in base.
func keepQueues(ctx context.Context, base string, q *Queues) Queued {
	answer := Queued{Queues: []queue.Overview{}}
	if err := changeQueues(ctx, base, q); err != nil {
		answer.Failure = holder.FailureOf(err)
		return answer
	}
	queues := queue.Of(filepath.Join(base, "-"))
	names := []string{q.Name}
	if q.Name == "" {
		var err error
		if names, err = queue.Names(queues); err != nil {
			answer.Failure = holder.FailureOf(err)
		}
	}
	for _, name := range names {
		if o, err := queue.Describe(queues, name); err == nil {
			answer.Queues = append(answer.Queues, o)
		}
	}
	return answer
}

func changeQueues(ctx context.Context, base string, q *Queues) error {
	if q.Change != (queue.Change{}) {
		if !queue.ValidName(q.Name) {
			return fmt.Errorf("%w: %q cannot be the name of a queue", record.ErrInvalid, q.Name)
		}
		if err := queue.Set(ctx, queue.Dir(queue.Of(filepath.Join(base, "-")), q.Name), q.Change.Apply); err != nil {
			return err
		}
	}
	if err := startSooner(ctx, base, q.First, queue.First); err != nil {
		return err
	}
	return startSooner(ctx, base, q.Now, queue.StartNow)
}

// startSooner calls change with the jobs of each queue.
func startSooner(ctx context.Context, base string, jobs []string, change func(ctx context.Context, dir string, ids []string) error) error {
	byQueue := map[string][]string{}
	for _, id := range jobs {
		dir := filepath.Join(base, id)
		meta, err := jobdir.ReadMeta(dir)
		if err != nil {
			return record.ErrNotFound
		}
		of := queue.Dir(queue.Of(dir), meta.Queue)
		byQueue[of] = append(byQueue[of], id)
	}
	for dir, ids := range byQueue {
		err := change(ctx, dir, ids)
		if queue.IsNotWaiting(err) {
			return record.ErrNotRunning
		}
		if err != nil {
			return err
		}
	}
	return nil
}
