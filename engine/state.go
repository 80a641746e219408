package engine

// mayFollow reports whether a job can go from one status to the other, or stay. An end
// never changes, and what has started does not start again; a stop can be given up. An
// execution that runs may fail: it runs from the first, and its program says so later.
func mayFollow(from, to Status) bool {
	switch {
	case from == to, from == "":
		return true
	case from.Finished():
		return false
	}
	return to.Finished() || to == Stopping || to == Running
}
