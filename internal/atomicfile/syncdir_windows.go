package atomicfile

// SyncDir does nothing on Windows, where a directory cannot be flushed and the
// file system journals its entries.
func SyncDir(string) error { return nil }
