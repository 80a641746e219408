//go:build linux || darwin

package local

import (
	"os"
	"strings"
	"sync"
	"unsafe"
)

// Spare is a holder that was started before there is a job for it.
type Spare struct {
	mu sync.Mutex
	p  *holderProcess // nil: used, closed, or it could not be started
}

// titleWidth is the room for a job's id among the arguments of a spare holder.
const titleWidth = 64

// Ahead starts a holder for the job that the caller is about to ask for, so that
// the two processes get ready side by side. It never fails: without a spare a
// holder is started when the job is. The caller closes it.
func Ahead() *Spare {
	path, err := ownProgram()
	if err != nil {
		return &Spare{}
	}
	p, err := startHolder(path, []string{strings.Repeat(" ", titleWidth)}, nil)
	if err != nil {
		return &Spare{}
	}
	return &Spare{p: p}
}

func (s *Spare) take() *holderProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.p
	s.p = nil
	return p
}

// Close ends the holder if no job has got it: one that is told nothing goes. It
// may be called more than once.
func (s *Spare) Close() error {
	if p := s.take(); p != nil {
		_ = p.config.Close()
		_ = p.reply.Close()
	}
	return nil
}

func (b *Backend) takeSpare() *holderProcess {
	if b.spare == nil {
		return nil
	}
	return b.spare.take()
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
