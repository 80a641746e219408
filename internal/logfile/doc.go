// Package logfile appends to the logs of jobs, limits their size, searches them, and reads
// them as bytes or lines.
//
// # Offsets
//
// An offset in a log is the number of bytes written before it since the start of the job.
// It never changes: logs are not rotated. A log that exceeds its limit keeps its first
// [Head] bytes and loses the oldest bytes after them, which are freed inside the file.
// This [Hole] is the only place where bytes are missing. Readers skip it and report how
// much they skipped.
//
// # Lines
//
// A line ends with LF. Its text is what a terminal would show of that line alone: without
// escape sequences and control characters, with text after a carriage return or backspace
// overwriting earlier text, and with U+FFFD for invalid UTF-8. The text after the last LF
// is a line, too. Lines are numbered from 0, the first one ever written. The lines in the
// hole are included if they were counted before they were dropped ([Hole.Lines]); if not,
// numbers start at the first line after the hole, and lines before it have none.
//
// # Sources
//
// Readers take a [Source]: a local [File], or a log on a host. They read it in blocks, use
// a bounded amount of memory regardless of the length of a log or a line, and stop when
// their context ends. They get the source's size once, at the beginning.
//
//	f, err := logfile.Open(path, record)
//	err = logfile.Tail(ctx, f, logfile.Query{Limit: 200}, func(l logfile.Line) error {
//		fmt.Println(l.Text)
//		return nil
//	})
//
// A log has one [Writer]. Writes never fail: bytes that cannot be written, for example
// because the disk is full, are counted as lost.
package logfile
