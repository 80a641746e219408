// Package logfile is everything hob knows about the bytes of a job's log:
// appending them, capping them, and reading them back as bytes or lines.
//
// # Offsets
//
// A position in a log is the number of bytes written before it since the job
// began, for ever: nothing is rotated or renumbered. A log over its cap keeps
// its first [Head] bytes and loses the oldest bytes behind them, which are
// freed inside the file. That [Hole] is the only place where bytes are missing;
// every reader here skips it and says how much it skipped.
//
// # Lines
//
// A line ends in LF. Its text is what a terminal would show of it, made of that
// line alone: escape sequences and control characters are gone, a carriage
// return or backspace lets what follows overwrite what was there, invalid UTF-8
// reads as U+FFFD. What follows the last LF is a line too. Lines are numbered
// from 0, the first ever written, those in the hole included if somebody
// counted them before they were dropped ([Hole.Lines]); if nobody did, numbers
// count from the first line after the hole and lines before it have none.
//
// # Sources
//
// Readers take a [Source]: a local [File], or a log on a host. All of them read it
// in blocks, keep a bounded amount in memory whatever the length of a log or of a
// line, and stop when their context ends. They look at the source's size once,
// when they begin.
//
//	f, err := logfile.Open(path, record)
//	err = logfile.Tail(ctx, f, logfile.Query{Limit: 200}, func(l logfile.Line) error {
//		fmt.Println(l.Text)
//		return nil
//	})
//
// Writing has one owner, the [Writer], which never fails its caller: a full
// disk costs bytes, and they are counted.
package logfile
