package logfile

// A Line is one line of a log, or the mark that stands for its hole.
type Line struct {
	// Number counts from 0; -1 where nobody knows it, and for a gap.
	Number int64
	// Off and End are the bytes of the log that the line is made of, LF
	// included. End is where the next line begins.
	Off, End int64
	// Text is what a terminal would show of it, without the LF.
	Text string
	// Open says that no LF ended it: it may still grow.
	Open bool
	// Cut is how many more bytes of text it had than were asked for.
	Cut int64
	// Gap, if not 0, makes this no line but the mark for so many dropped
	// bytes; Text is [GapText].
	Gap int64
	// Torn is how many of the bytes from Off on belong to a character whose first
	// bytes were dropped. Text does not have them.
	Torn int
}

// A Query says which lines are wanted and how.
type Query struct {
	// Limit is the number of lines at most; 0 or less means all. A gap is not
	// counted.
	Limit int64
	// Filter keeps the lines it matches, Exclude drops those it matches;
	// either works without the other. A gap is always told.
	Filter, Exclude *Pattern
	// Width is how many bytes of text a line has at most, 0 means
	// [DefaultWidth].
	Width int
	// Numbered asks for line numbers where finding them costs reading all of
	// the log before.
	Numbered bool
}
