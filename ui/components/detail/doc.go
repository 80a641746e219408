// Package detail shows all that is known of one job, in words: what runs, where,
// since when, how it ended and why, and where its output lies.
package detail
