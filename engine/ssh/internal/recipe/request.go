// Package recipe contains what runs on a host, as POSIX shell scripts that are sent over a
// [shell.Session]: a job's wrapper, and the requests of a client. Nothing is installed on the host;
// each job directory has its own copy of the wrapper.
//
// The scripts are common.sh (shared), run.sh and tty.sh (the wrapper) and serve.sh (the requests).
// All their variables begin with h_, so that they change none of the job's. User text reaches them
// only as octal escapes in printf formats or in single quotes: a shell never parses it.
//
// docs/remote-layout.md describes the files of a job directory on a host.
package recipe

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// Hello requests what [ParseHello] reads, for the client that owns jobs as owner.
func Hello(owner string) string { return "hello " + Quote(OneWord(owner)) }

// Spare asks for a private directory for jobs under TMPDIR or /tmp, made if need be. The
// answer is its name on a line; empty where there can be none, or HOB_STATE_DIR is set.
func Spare() string { return `spare; echo "$h_base"` }

// Trusted asks whether only this user and root control base and the path to it. The answer is empty if
// so, otherwise the element that others control, and how.
func Trusted(base string) string { return "trusted " + Quote(base) + ` || echo "$h_BAD"` }

// List requests the state of the jobs ids in base; see [ParseList]. For a job whose pid is some
// living process it does not report whether its wrapper lives; [ListClosely] does.
func List(base string, ids []string) string { return ListAgain(base, ids, nil, 0) }

// Known asks for the tokens of the jobs in base; see [ParseFiles].
func Known(base string) string { return "known " + Quote(base) }

// Records asks for the owner and the meta.json of the jobs ids in base; see [ParseFiles].
func Records(base string, ids []string) string {
	var b strings.Builder
	b.WriteString("records " + Quote(base))
	for _, id := range ids {
		b.WriteString(" " + Quote(id))
	}
	return b.String()
}

// FewProofs is how many known jobs can be verified cheaply in one look: 64 take a tenth of the time
// of a look at 500 jobs, 250 half.
const FewProofs = 64

// keptHead is how much of a log is never freed: a shorter one has no hole.
const keptHead = 1 << 20

// ListAgain is List where some of the jobs are known from the last [ListAgain] or List. As long as
// such a job has neither an end nor a request for one and its process exists, only the sizes of its
// logs are requested, and for proofs of them in turn what identifies them; see [ParseListAgain].
func ListAgain(base string, ids []string, known map[string]*Entry, proofs int) string {
	due := dueProofs(known, proofs)
	var b strings.Builder
	b.WriteString("list " + Quote(base))
	for _, id := range ids {
		if e := known[id]; e != nil {
			how := "o"
			if e.split() {
				how = "s"
			}
			if due[id] {
				how = strings.ToUpper(how)
			}
			id += ":" + strconv.Itoa(e.Job.PID) + ":" + how
		}
		b.WriteByte(' ')
		b.WriteString(Quote(id))
	}
	return b.String()
}

// dueProofs returns the n jobs that have gone longest without verification, and those whose logs
// are so long that they may have a hole, which the same check looks for.
func dueProofs(known map[string]*Entry, n int) map[string]bool {
	ids := slices.SortedFunc(maps.Keys(known), func(a, b string) int {
		return cmp.Or(cmp.Compare(known[b].looks, known[a].looks), strings.Compare(a, b))
	})
	due := make(map[string]bool, len(ids))
	for i, id := range ids {
		due[id] = i < n || known[id].long()
	}
	return due
}

// long reports whether a log of the job may have a hole.
func (e *Entry) long() bool {
	for _, size := range e.Sizes {
		if size > keptHead {
			return true
		}
	}
	return false
}

// ListClosely is List for jobs that look lost.
func ListClosely(base string, ids []string) string { return "h_close=1\n" + List(base, ids) }

// Range is how [Fetch] reads: whole blocks, of which Drop bytes at the front are
// not wanted.
type Range struct {
	Block, Skip, Count int64
	Drop               int
}

// Cover is the range of blocks that covers n bytes at off.
func Cover(off int64, n int) Range {
	block := int64(512)
	for block < 64<<10 && block*64 < int64(n) {
		block *= 2
	}
	skip := off / block
	return Range{
		Block: block,
		Skip:  skip,
		Count: (off+int64(n)+block-1)/block - skip,
		Drop:  int(off - skip*block),
	}
}

// Fetch requests bytes of a log. The answer is the bytes; its status is NotAFile if file is not a
// regular file.
func Fetch(file string, r Range) string {
	return fmt.Sprintf("fetch %s %d %d %d", Quote(file), r.Block, r.Skip, r.Count)
}

// FetchLine is [Fetch] with an answer of one line, for several logs in one request; see [ParseLines].
func FetchLine(file string, r Range) string {
	return Fetch(file, r) + ` | tr '\n\r' '\001\002'; echo`
}

// ParseLines reads the answer to requests of [FetchLine].
func ParseLines(out []byte) [][]byte {
	answers := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	for _, a := range answers {
		for i, c := range a {
			switch c {
			case 1:
				a[i] = '\n'
			case 2:
				a[i] = '\r'
			}
		}
	}
	return answers
}

// NotAFile is the status of [Fetch] if the file is not a regular file.
const NotAFile = 9

const (
	// MaxFeed is how much one [Feed] may carry, since over a long line each costs a round
	// trip. The shell there holds up to four bytes for each.
	MaxFeed = 1 << 20
	// piece is what a pipe takes whole or not at all.
	piece = 4 << 10
)

// Stream types what follows on standard input into the job, to its end. The answer is ok,
// over, ended or none. Unlike [Feed] it costs the shell there nothing for each byte, but
// how much was typed is known only of all.
func Stream(dir string) string { return "stream " + Quote(dir) }

// Feed types p into the job; see [ParseFeed].
func Feed(dir string, p []byte) string { return "feed " + Quote(dir) + pieces(p) }

// pieces returns p as arguments for printf.
func pieces(p []byte) string {
	var b strings.Builder
	b.Grow(2 * len(p))
	for len(p) > 0 {
		n := min(len(p), piece)
		b.WriteByte(' ')
		octal(&b, p[:n])
		p = p[n:]
	}
	return b.String()
}

// Here is request, about the job in dir, unless that runs on another machine, with
// which this one has its files in common: then the answer is Elsewhere.
func Here(dir, request string) string {
	return "if elsewhere " + Quote(dir) + "; then echo " + Elsewhere + "; else\n" + request + "\nfi"
}

// Elsewhere is the answer to [Here] on another machine than the job's.
const Elsewhere = "elsewhere"

// ParseFeed reads the answer to the [Feed] or [Answer] of n bytes: how many of them were typed, and
// ok, full, over, ended or none; for Answer also other and the holder of the keyboard. Fewer than n
// with ok means that the time was up: the rest is to be sent again.
func ParseFeed(out []byte, n int) (taken int, word string) {
	text := strings.TrimSpace(string(out))
	for rest, ok := strings.CutPrefix(text, "taken"); ok; rest, ok = strings.CutPrefix(text, "taken") {
		taken += piece
		text = strings.TrimSpace(rest)
	}
	return min(taken, n), text
}

// Control gives a client control of the job's terminal until another client takes it. token
// identifies the client among all that are attached. The answer is ok, over, or no if that
// cannot be recorded.
func Control(dir, token, client string) string {
	return fmt.Sprintf("control %s %s %s", Quote(dir), Quote(token), Quote(OneWord(client)))
}

// Answer types p into the job as [Feed] does, if token has the keyboard or the keyboard was never
// taken; see [ParseFeed].
func Answer(dir, token string, p []byte) string {
	return "answer " + Quote(dir) + " " + Quote(token) + pieces(p)
}

// Finish ends the job's input. The answer is ok or none.
func Finish(dir string) string { return "finish " + Quote(dir) }

// Signal sends a signal, by name without SIG, on behalf of by. The answer is ok, over,
// or no and why.
func Signal(dir, id, name, by string) string {
	return fmt.Sprintf("signal %s %s %s %s", Quote(dir), Quote(id), Quote(name), Quote(OneWord(by)))
}

// Resize gives the job's terminal another size. The answer is ok, over, none, or
// no and why.
func Resize(dir, id string, cols, rows int) string {
	return fmt.Sprintf("resize %s %s %d %d", Quote(dir), Quote(id), cols, rows)
}

// Shows requests whether the job's terminal accepts lines and echoes them, and whether the job waits
// for one. The answer is a line: open or hidden, with " waits" if the job is known to wait; none if
// neither can be determined, over, or no and the reason. See [ParseShows].
func Shows(dir, id string) string { return "entry " + Quote(dir) + " " + Quote(id) }

// ParseShows reads a line of the answer to [Shows].
func ParseShows(line string) (entry record.Entry, waits bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch e := record.Entry(word); e {
	case record.EntryOpen, record.EntryHidden:
		return e, rest == "waits"
	case record.EntryUnknown:
	}
	return record.EntryUnknown, false
}

// Stop ends the job's processes; see [ParseStop]. It takes grace and some seconds more. It continues
// if the connection is lost.
func Stop(dir, id string, o StopOptions) string {
	grace, keep := tenths(o.Grace), 0
	if o.Grace < 0 {
		grace = -1
	}
	if o.KeepDaemons {
		keep = 1
	}
	return fmt.Sprintf("end_job %s %s %d %s %s %d %s",
		Quote(dir), Quote(id), grace, Quote(OneWord(o.By)), Quote(OneWord(o.Reason)), keep, Quote(stopWord(o.Signal)))
}

// StopOptions are how [Stop] ends a job. A negative Grace means SIGKILL at once.
type StopOptions struct {
	Signal      string // "SIGINT"; empty: SIGTERM
	Grace       time.Duration
	By, Reason  string
	KeepDaemons bool
}

// stopWord returns a signal as the scripts name it.
func stopWord(signal string) string {
	if signal == "" {
		return "TERM"
	}
	return strings.TrimPrefix(signal, "SIG")
}

// LastQueue requests the answer to the last [Queue] of any client that was answered; it is empty if
// there is none.
func LastQueue(base string) string { return "cat " + Quote(base) + "/.squeue 2>/dev/null" }

// Queue requests what the cluster's scheduler knows of this user's jobs, at most age old; base is where
// the answer is kept for other clients. See package slurm.
func Queue(base string, age time.Duration) string {
	return fmt.Sprintf("queue %s %d", Quote(base), int(age.Seconds()))
}

// Drop ends a job that a cluster's scheduler has not begun. The answer is dropped or started.
func Drop(dir, id, token, by, reason string) string {
	return fmt.Sprintf("drop %s %s %s %s %s", Quote(dir), Quote(id), Quote(token), Quote(OneWord(by)), Quote(OneWord(reason)))
}

// Cancel has the cluster's scheduler end a job that has begun. The answer is ok, or no and why.
func Cancel(dir, id, by, reason string) string {
	return fmt.Sprintf("cancel %s %s %s %s", Quote(dir), Quote(id), Quote(OneWord(by)), Quote(OneWord(reason)))
}

// Asked is request, on the node of the job in dir, marked with a name before it begins. The node's
// session lasts until [Received] removes the mark, for ten seconds after the end of the job at most.
func Asked(dir, mark, request string) string {
	return "true 2>/dev/null >" + Quote(dir) + "/.asked.$$." + mark + "\n" + request
}

// Received removes the mark of a request whose answer has arrived, in the session of that request.
func Received(dir, mark string) string { return "rm -f " + Quote(dir) + "/.asked.$$." + mark }

// WasAsked returns the script for a request whose answer did not arrive. It prints "asked" if the request
// with that mark has begun, otherwise "no".
func WasAsked(dir, mark string) string {
	return "h_r=no\nfor h_z in " + Quote(dir) + "/.asked.*." + mark + "; do [ -f \"$h_z\" ] && h_r=asked; done\necho $h_r"
}

// Abandon makes sure that a job that was never started never will be. The answer
// is abandoned, started or taken.
func Abandon(base, id, token string) string {
	return fmt.Sprintf("abandon %s %s %s", Quote(base), Quote(id), Quote(token))
}

// Discard deletes the directory of a finished job. The answer is ok, running,
// taken or failed.
func Discard(dir, token string) string { return "discard " + Quote(dir) + " " + Quote(token) }

// Sweep deletes what is left of the owner's jobs that ended that many days ago.
func Sweep(base, owner string, days int) string {
	return fmt.Sprintf("sweep %s %s %d", Quote(base), Quote(OneWord(owner)), days)
}

// OneWord returns s with all separators replaced, so that it is a single field.
func OneWord(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return '_'
		}
		return r
	}, s)
}

// Quote returns s as a single argument of a shell command.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// unsafe reports whether a shell or a line of an answer may give r a meaning.
func unsafe(r rune) bool {
	const safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:@"
	return !strings.ContainsRune(safe, r)
}

// standsForItself reports whether printf prints c of its format, in single quotes, as it is.
func standsForItself(c byte) bool {
	if c < ' ' || c >= 0x7f {
		return false
	}
	return strings.IndexByte(`\%'`, c) < 0
}

// octal appends p as a format for printf, in single quotes: plain ASCII.
func octal(b *strings.Builder, p []byte) {
	b.WriteByte('\'')
	for i, c := range p {
		isOption := c == '-' && i == 0
		if standsForItself(c) && !isOption {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('\\')
		b.WriteByte('0' + c>>6)
		b.WriteByte('0' + c>>3&7)
		b.WriteByte('0' + c&7)
	}
	b.WriteByte('\'')
}

// chunk is the most bytes for one printf: where that is a program, one argument
// may not exceed 128 KiB.
const chunk = 4 << 10

// printfs is commands that print content.
func printfs(b *strings.Builder, content []byte) {
	for len(content) > 0 {
		n := min(chunk, len(content))
		b.WriteString("printf ")
		octal(b, content[:n])
		b.WriteByte('\n')
		content = content[n:]
	}
}
