package holder

// Watched reports whether a client shows the job to a user, so that no other notification is
// needed. A client that did so when the job ended counts, too: it may have shown the end and disconnected.
func (h *Holder) Watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.endWatched || h.watchedLocked()
}

func (h *Holder) watchedLocked() bool {
	for c := range h.conns {
		if c.shows || c.view != nil {
			return true
		}
	}
	return false
}
