package clientnotify

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// pause is the minimum time between two notifications of the same event of a job.
const pause = 30 * time.Second

// key is the name of the note about an event. Its number is twice the time of the last notification, in milliseconds,
// plus one if the event has not applied since; 0: there was none.
func key(event notifyevent.Event) string { return "notified " + string(event) }

// untilDue returns how long it takes until an event that applies may be sent; 0: it may be now. isNew is false if it was
// sent and applies since.
func untilDue(number int64, now time.Time) (wait time.Duration, isNew bool) {
	if number == 0 {
		return 0, true
	}
	isOver := number%2 == 1
	return max(0, pause-now.Sub(time.UnixMilli(number/2))), isOver
}

// Once calls send unless a process has notified the user of this event of a job. If this process is killed meanwhile,
// another one notifies. send must not block: it only starts what takes time.
func Once(book notes.Book, id engine.ID, event notifyevent.Event, send func() error) error {
	lock, err := book.Lock(string(id), key(event))
	if err != nil { // another process is notifying
		return err
	}
	defer lock.Close()
	now := time.Now()
	if wait, isNew := untilDue(book.Number(string(id), key(event)), now); wait > 0 || !isNew {
		return nil
	}
	if err := send(); err != nil {
		return err
	}
	return book.SetNumber(string(id), key(event), 2*now.UnixMilli())
}

// over records that an event that was sent no longer applies.
func over(book notes.Book, id engine.ID, event notifyevent.Event) error {
	lock, err := book.Lock(string(id), key(event))
	if err != nil {
		return err
	}
	defer lock.Close()
	number := book.Number(string(id), key(event))
	if number == 0 || number%2 == 1 {
		return nil
	}
	return book.SetNumber(string(id), key(event), number+1)
}
