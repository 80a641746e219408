// Package presets keeps what the user's settings say of a start beside the jobs, so
// that a holder which starts a job itself need not read them: that takes a parser of
// TOML and all that knows keys and colours (package internal/config).
//
// They hold only as long as the file of the settings is the very one that they were
// made of, by its inode, size and times (which a program that writes through a mapping of
// the file changes only later). Of a file in which anything is wrong none
// are made, since whoever starts a job is to be told.
package presets
