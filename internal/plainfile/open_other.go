//go:build !unix

package plainfile

const nonblock, nofollow = 0, 0

func isLink(error) bool { return false }
