package engine

// mayFollow reports whether a job can change from one status to the other, or stay. An end never
// changes, and a job that has started does not start again, unless its command is to be started
// again when it ends; a stop can be abandoned. A running execution may fail: it is running from the
// beginning, and its program reports the failure later. On a cluster, a starting job may turn out to wait.
func mayFollow(from Status, to *State) bool {
	switch {
	case from == to.Status, from == "":
		return true
	case from.Finished():
		return false
	case to.Status == Queued:
		return from == Starting || to.Runs.Between()
	}
	return to.Status.Finished() || to.Status == Stopping || to.Status == Running || from == Queued
}
