//go:build !unix

package statedir

// On Windows, access control lists protect a user's directories, not modes.
const privateModes = false
