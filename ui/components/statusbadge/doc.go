// Package statusbadge says in one glyph and one word how a job stands: the
// badge of list rows, detail, footers and dialogs.
//
// It is also the one place that ranks a job by what a person must know of it
// ([State]), so that order, counts and colours agree everywhere.
package statusbadge
