package jobdir

import "golang.org/x/sys/unix"

// identify is the identity of the regular file at path; ok is false if there is none. A
// network file system is made to ask its server: it would answer by what it was
// told some seconds ago.
func identify(path string) (id identity, ok bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_FORCE_SYNC, unix.STATX_BASIC_STATS, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mask&unix.STATX_BASIC_STATS != unix.STATX_BASIC_STATS {
		return identity{}, false
	}
	return identity{
		device: uint64(st.Dev_major)<<32 | uint64(st.Dev_minor), number: st.Ino, size: st.Size,
		modified: nanoseconds(st.Mtime), changed: nanoseconds(st.Ctime),
	}, true
}

func nanoseconds(t unix.StatxTimestamp) int64 { return t.Sec*1e9 + int64(t.Nsec) }

// missing reports whether nothing has that name, for less than what it costs to try
// to open it.
func missing(path string) bool {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.F_OK, 0) == unix.ENOENT
}
