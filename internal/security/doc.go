// Package security attacks hob as another user, a hostile file system, a hostile
// job or a hostile peer would, and holds what follows against the promises of
// docs/security.md.
//
// It has tests alone. They run hob from outside, as root where another user is
// needed.
package security
