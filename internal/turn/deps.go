//go:build linux || darwin

package turn

// dep is a job that another one follows.
type dep struct {
	id   string
	any  bool // its success does not matter
	over bool
}

// parseDeps appends the ids of list, each of which is followed by a comma.
func parseDeps(deps []dep, list string, any bool) []dep {
	for from, i := 0, 0; i < len(list); i++ {
		if list[i] == ',' {
			deps, from = append(deps, dep{id: list[from:i], any: any}), i+1
		}
	}
	return deps
}

// depsDone reports whether the job need not wait for another one. Otherwise it watches those, or one
// of them did not succeed and the wait is over.
func (w *waiter) depsDone() bool {
	done := true
	for i := range w.deps {
		d := &w.deps[i]
		if d.over {
			continue
		}
		ended, success := w.lookAt(d.id)
		switch {
		case !ended:
			done = false
		case success || d.any:
			d.over = true
		default:
			w.result.Cause = d.id
			w.over(Blocked)
			return false
		}
	}
	return done
}

// lookAt reports whether a job has ended, and whether it exited with 0. One that was cleared, perhaps
// just now, is in the trash.
func (w *waiter) lookAt(id string) (ended, success bool) {
	dir := w.jobs + id
	if w.watch(dir) && !exists(dir+"/exit_code") {
		return false, false
	}
	if Succeeded(dir) {
		return true, true
	}
	root := w.jobs[:lastSlash(w.jobs[:len(w.jobs)-1])]
	return true, !exists(dir) && Succeeded(root+"/trash/"+id)
}

var stateText [32 << 10]byte

// Succeeded reports whether the records in a job directory say that the job exited with 0. It does not
// decode them: inside of a JSON string, the quotation marks would be escaped.
func Succeeded(dir string) bool {
	var code [8]byte
	if string(readFile(dir+"/exit_code", code[:])) != "0\n" {
		return false
	}
	text := readFile(dir+"/state.json", stateText[:])
	const exited = `"status":"exited"`
	for i := 0; i+len(exited) <= len(text); i++ {
		if string(text[i:i+len(exited)]) == exited {
			return true
		}
	}
	return false
}
