package ahead

import (
	"errors"
	"strconv"
)

// Request is a job in the background that is asked for so plainly that its holder
// can start it itself: the words of `hob run -b` and where they were said.
type Request struct {
	Name    string
	Script  string // instead of Command
	Command []string
	NoPTY   bool
	Dir     string   // absolute
	Env     []string // whole
}

// requestMark begins the text of a request. The rest of what holders are told is
// JSON, which it is not, and its number is that of what follows.
const requestMark = "hob-run 1\x00"

// requestOf is what a command line asks for, if that is a request: a job in the
// background with no other flags than those below. Whatever else a word may mean,
// to package cli or in an environment that changes what hob does, is not decided
// here.
func requestOf(args, env []string) (r Request, ok bool) {
	words := args[min(2, len(args)):]
	background := false
flags:
	for len(words) > 0 {
		word := words[0]
		switch {
		case word == "--":
			words = words[1:]
			break flags
		case word == "-b", word == "--background":
			background = true
		case word == "--no-pty":
			r.NoPTY = true
		case (word == "-n" || word == "--name") && len(words) > 1:
			words, r.Name = words[1:], words[1]
		case (word == "-c" || word == "--script") && len(words) > 1:
			words, r.Script = words[1:], words[1]
		case word == "" || word[0] == '-':
			return Request{}, false
		default:
			break flags
		}
		words = words[1:]
	}
	r.Env = env
	if len(words) > 0 {
		r.Command = words
	}
	if !background || (len(words) > 0) == (r.Script != "") || namesDescriptor(r.Script) {
		return Request{}, false
	}
	for _, word := range words {
		if namesDescriptor(word) {
			return Request{}, false
		}
	}
	for _, kv := range env {
		if changesHob(kv) {
			return Request{}, false
		}
	}
	return r, true
}

// namesDescriptor reports whether a word may name a descriptor by its path, which
// the job is to be lent then.
func namesDescriptor(word string) bool {
	const part = "/fd/"
	for i := range len(word) - len(part) + 1 {
		if word[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

// changesHob reports whether a variable is one that hob itself reads, but for those
// that a holder understands.
func changesHob(kv string) bool {
	for _, known := range []string{"HOB_STATE_DIR=/", "HOB_JOB_ID="} {
		if begins(kv, known) {
			return false
		}
	}
	return begins(kv, "HOB_") || begins(kv, "PI_BASH_")
}

func begins(s, with string) bool { return len(s) >= len(with) && s[:len(with)] == with }

// text is r for a holder to read: each text with a NUL behind it, which none of
// them can have inside.
func (r *Request) text() []byte {
	size := len(requestMark) + 64
	for _, list := range [][]string{{r.Name, r.Script, r.Dir}, r.Command, r.Env} {
		for _, s := range list {
			size += len(s) + 1
		}
	}
	b := append(make([]byte, 0, size), requestMark...)
	put := func(s string) { b = append(append(b, s...), 0) }
	put(r.Name)
	put(r.Script)
	put(strconv.FormatBool(r.NoPTY))
	put(r.Dir)
	put(strconv.Itoa(len(r.Command)))
	for _, s := range r.Command {
		put(s)
	}
	put(strconv.Itoa(len(r.Env)))
	for _, s := range r.Env {
		put(s)
	}
	return b
}

// IsRequest reports whether what a holder was told is the text of a request.
func IsRequest(text []byte) bool {
	return len(text) >= len(requestMark) && string(text[:len(requestMark)]) == requestMark
}

var errRequest = errors.New("a request that is not whole")

// ParseRequest reads the text of a request.
func ParseRequest(text []byte) (r Request, err error) {
	if !IsRequest(text) || text[len(text)-1] != 0 {
		return Request{}, errRequest
	}
	rest := string(text[len(requestMark):])
	next := func() (s string) {
		for i := range len(rest) {
			if rest[i] == 0 {
				s, rest = rest[:i], rest[i+1:]
				return s
			}
		}
		err = errRequest
		return ""
	}
	r.Name, r.Script = next(), next()
	noPTY, boolErr := strconv.ParseBool(next())
	r.NoPTY, r.Dir = noPTY, next()
	list := func() (words []string) {
		n, intErr := strconv.Atoi(next())
		if intErr != nil || n < 0 || n > len(rest) {
			err = errRequest
			return nil
		}
		for range n {
			words = append(words, next())
		}
		return words
	}
	r.Command = list()
	r.Env = list()
	if err != nil || boolErr != nil || rest != "" {
		return Request{}, errRequest
	}
	return r, nil
}
