//go:build linux || darwin

package local

import (
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/hobjobs/hob/internal/ahead"
)

// Spare is a holder that was started before there is a job for it.
type Spare struct {
	mu sync.Mutex
	h  *ahead.Holder // nil: used, closed, or it could not be started
}

// Ahead starts a holder for the job that the caller is about to ask for, so that
// the two processes get ready side by side; or hands out the one that was started
// while the program set itself up. It never fails: without a spare a holder is
// started when the job is. The caller closes it.
func Ahead() *Spare {
	h := ahead.Begun()
	if h == nil {
		h, _ = ahead.StartBlank() // the start of the job will say why not
	}
	return &Spare{h: h}
}

func (s *Spare) take() *ahead.Holder {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.h
	s.h = nil
	return h
}

// Close ends the holder if no job has got it: one that is told nothing goes. It
// may be called more than once.
func (s *Spare) Close() error {
	if h := s.take(); h != nil {
		_ = h.Close()
	}
	return nil
}

// nameSelf writes id where the blank argument of a spare holder stands, so that
// ps tells whose it is.
func nameSelf(id string) {
	if len(os.Args) != 2 || strings.Trim(os.Args[1], " ") != "" {
		return
	}
	// The strings of os.Args are the process's own argument area.
	copy(unsafe.Slice(unsafe.StringData(os.Args[1]), len(os.Args[1])), id)
}
