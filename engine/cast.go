package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/logfile"
)

// castHeader is the first line of an asciicast (version 2 of asciinema's file format).
type castHeader struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp"` // of the first output, in seconds since 1970
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env"`
}

// WriteCast writes the recording as asciicast version 2, from its beginning to its present end.
// Characters that are not valid UTF-8 are replaced, because the format is JSON.
func (r *Replay) WriteCast(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	size := r.first.Size
	title := r.job.Name
	err := enc.Encode(castHeader{
		Version: 2, Width: size.Cols, Height: size.Rows, Timestamp: r.first.At.Unix(), Title: strings.ToValidUTF8(title, "\uFFFD"),
		Env: map[string]string{"TERM": "xterm-256color"},
	})
	if err != nil {
		return err
	}
	p := r.begin()
	event := func(at time.Duration, kind, data string) error {
		return enc.Encode([]any{at.Seconds(), kind, data})
	}
	var held []byte // the beginning of a character whose end is in the next frame
	for {
		before := p.offset
		f, err := p.next(ctx)
		if err != nil {
			return err
		}
		if f.Size != size {
			size = f.Size
			if err := event(f.At, "r", strconv.Itoa(size.Cols)+"x"+strconv.Itoa(size.Rows)); err != nil {
				return err
			}
		}
		data := f.Data
		if f.Reset && before < f.Offset { // what was printed at the new size, or after freed bytes
			data = append([]byte("\x1bc"), data...)
		} else if f.Reset {
			data = nil
		}
		data = append(held, data...)
		held = nil
		if n := logfile.IncompleteRune(data); n > 0 && !f.End {
			held = append(held, data[len(data)-n:]...)
			data = data[:len(data)-n]
		}
		if len(data) > 0 {
			if err := event(f.At, "o", strings.ToValidUTF8(string(data), "\uFFFD")); err != nil {
				return err
			}
		}
		if f.End {
			return out.Flush()
		}
	}
}
