// Package watch tells that entries of one directory came, went or were renamed,
// without saying which: whoever is told looks for itself.
//
// It uses what the system has (inotify, kqueue, ReadDirectoryChangesW) and looks
// at the directory's time of change once a second where that is not to be had,
// or while the directory does not exist.
//
//	w := watch.Dir(path)
//	defer w.Close()
//	for range w.C {
//		…
//	}
package watch
