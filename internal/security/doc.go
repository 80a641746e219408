// Package security has tests that attack hob like another user, a hostile file system, a hostile job
// or a hostile peer, and check the guarantees of docs/security.md.
//
// The tests run the hob program. Those that need another user require root.
package security
