//go:build unix

package statedir

const privateModes = true
