package local

// countForMore does nothing: macOS has its own order of who is ended for memory.
func (j *job) countForMore() {}
