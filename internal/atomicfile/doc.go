// Package atomicfile writes small files so that a reader sees either the old
// content or the new one, whole, and never a part of it.
//
// Each write goes to a temporary file in the same directory, named
// ".NAME.tmp-*", and is then renamed ([Write]) or linked ([Create]) into place.
// The temporary file is gone when the call returns, whatever happened; only a
// process that dies in between leaves one behind. A reserve ([Reserve]) is such a
// file made beforehand.
//
// Atomic is not durable: without [Sync] the new content may be lost, never
// torn, when the machine goes down.
//
//	err := atomicfile.Write(path, data)                    // rename only
//	err := atomicfile.Write(path, data, atomicfile.Sync()) // and flushed
//
// All functions may be called concurrently; of several writers of one path the
// last rename wins.
package atomicfile
