package holder

import "io/fs"

func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

func inode(fs.FileInfo) uint64 { return 0 }
