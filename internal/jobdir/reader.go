package jobdir

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// settled is how long a file must have been the same before what is read of it is
	// kept: a tick of the coarsest clock that files are dated by.
	settled = 2 * time.Second
	// maxKept is how many bytes a Reader keeps, about; maxKeptFile of one file.
	maxKept     = 16 << 20
	maxKeptFile = 64 << 10
	keptEntry   = 512 // for each directory
)

// Reader is [Read] for who reads the same directories again and again: a meta.json
// or state.json that is the same file as before is not read again. The zero value
// is ready. It is safe for concurrent use.
//
// Files are told apart by device, number, size and times. A record is replaced by
// another file, which may have the number of one that was replaced before it; the
// times tell those apart, unless both were written within one tick of the clock.
// So what is read is kept only if the file was the same two seconds earlier:
// whatever takes its place after that is dated later. No clock is compared with
// that of the file system. Where files cannot be told apart everything is read.
type Reader struct {
	mu   sync.Mutex
	dirs map[string]*readBefore
	size int // of all that is kept
}

// readBefore is what was read of one directory.
type readBefore struct {
	meta  remembered[Meta]
	state remembered[State]
}

// remembered is what was read of one file.
type remembered[T any] struct {
	seen  bool // it was read once: only who reads again gains by knowing more
	file  identity
	since time.Time // when it was first seen to be this file
	value *T        // nobody changes it; nil: it has to be read
}

// identity tells a file from all others that ever had its name.
type identity struct {
	device, number, size uint64
	modified, changed    int64 // in nanoseconds
}

// Read is [Read]. What the pointers in State lead to is not to be changed.
func (r *Reader) Read(dir string) (Record, error) {
	meta := func(b *readBefore) *remembered[Meta] { return &b.meta }
	state := func(b *readBefore) *remembered[State] { return &b.state }
	return read(dir, recordFiles{
		meta: func(dir string) (Meta, error) {
			m, err := remember(r, meta, dir, MetaFile, ReadMeta)
			m.Command, m.EnvNames, m.Labels = slices.Clone(m.Command), slices.Clone(m.EnvNames), maps.Clone(m.Labels)
			return m, err
		},
		state: func(dir string) (State, error) { return remember(r, state, dir, StateFile, ReadState) },
		code:  readExitCode,
	})
}

// remember returns what the file says, by read if that is not known.
func remember[T any](r *Reader, of func(*readBefore) *remembered[T], dir, name string, read func(dir string) (T, error)) (T, error) {
	k := recall(r, of, dir)
	if !k.seen {
		k.seen = true
		keep(r, of, dir, k)
		return read(dir)
	}
	// It is looked at first. If it is replaced before it is read, the new content is
	// kept under an identity that is never seen again.
	file, ok := identify(inDir(dir, name))
	if ok && file == k.file && k.value != nil {
		return *k.value, nil
	}
	if !ok || file != k.file {
		k = remembered[T]{seen: true, file: file, since: time.Now()}
	}
	same := time.Since(k.since) >= settled
	v, err := read(dir)
	if ok && same && err == nil && file.size <= maxKeptFile {
		k.value = &v
	}
	keep(r, of, dir, k)
	return v, err
}

func recall[T any](r *Reader, of func(*readBefore) *remembered[T], dir string) (k remembered[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before := r.dirs[dir]; before != nil {
		k = *of(before)
	}
	return k
}

// keep puts k in its place. When all of it is too much everything is forgotten: with
// what is in use goes what is long gone.
func keep[T any](r *Reader, of func(*readBefore) *remembered[T], dir string, k remembered[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size > maxKept || r.dirs == nil {
		r.dirs, r.size = map[string]*readBefore{}, 0
	}
	before := r.dirs[dir]
	if before == nil {
		before = &readBefore{}
		r.dirs[dir] = before
		r.size += keptEntry
	}
	old := of(before)
	r.size += k.bytes() - old.bytes()
	*old = k
}

func (k *remembered[T]) bytes() int {
	if k.value == nil {
		return 0
	}
	return int(k.file.size)
}
