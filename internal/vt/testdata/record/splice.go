package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// splice makes n streams that no program prints out of those of a corpus: pieces
// of several, cut anywhere, with bytes taken out, and asks tmux for the screens.
//
// With a distance, screens are taken that far apart, which shows where a stream
// begins to differ; only chooses streams by name.
func splice(out, corpus string, n int, seed uint64, distance int, only *regexp.Regexp) error {
	parts, err := readStreams(corpus)
	if err != nil {
		return err
	}
	done := map[string]recorded{}
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		s := scene{name: fmt.Sprintf("splice-%d-%d", seed, i), cols: 80, rows: 24}
		if !only.MatchString(s.name) {
			continue
		}
		var stream []byte
		var marks []int
		for range 2 + r.IntN(4) {
			p := parts[r.IntN(len(parts))]
			from := r.IntN(len(p))
			piece := p[from:min(len(p), from+1+r.IntN(4000))]
			for range r.IntN(4) {
				at := r.IntN(len(piece))
				piece = append(piece[:at:at], piece[min(len(piece), at+1+r.IntN(8)):]...)
				if len(piece) == 0 {
					piece = []byte{' '}
				}
			}
			// What tmux is known to treat in another way: bytes that are no UTF-8, and
			// leaving the alternate screen from the main one.
			piece = bytes.ToValidUTF8(piece, nil)
			piece = bytes.ReplaceAll(piece, []byte("\x1b[?1049l"), []byte("\x1b[?1047l"))
			// Cancelled, so that the status that is asked for next is no part of it.
			stream = append(append(stream, piece...), 0x18)
			marks = append(marks, len(stream))
		}
		if distance > 0 {
			marks = apart(s, stream, distance)
		}
		rec := recorded{Recording: Recording{Name: s.name, Cols: s.cols, Rows: s.rows}, stream: stream}
		if rec.Marks, err = ask(s, performance{stream: stream, marks: marks}); err != nil {
			log.Printf("%s: left out: %v", s.name, err)
			continue
		}
		done[s.name] = rec
	}
	return write(out, done)
}

// apart returns offsets at which no sequence is cut, at least so far apart.
func apart(s scene, stream []byte, distance int) (marks []int) {
	term := vt.New(s.cols, s.rows)
	last := 0
	for i := range stream {
		term.Write(stream[i : i+1])
		// Asking tmux behind a character would hinder it to repeat that (REP).
		if i+1-last >= distance && term.Ground() && (i+1 == len(stream) || stream[i+1] != 0x1b) {
			last = i + 1
			marks = append(marks, last)
		}
	}
	return marks
}

// strange are scenes of sequences that tmux does not know.
var strange = regexp.MustCompile(`^(vttest|broken|utf8|combining|controls|save-restore|tabs|line-drawing|repeat|origin|wide)`)

// readStreams returns the streams of a corpus for screens of 80x24.
func readStreams(corpus string) ([][]byte, error) {
	z, err := zip.OpenReader(corpus)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	read := func(name string) ([]byte, error) {
		f, err := z.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	}
	var list [][]byte
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".json")
		if !ok || strange.MatchString(name) {
			continue
		}
		head, err := read(f.Name)
		if err != nil {
			return nil, err
		}
		var r Recording
		if err := json.Unmarshal(head, &r); err != nil {
			return nil, err
		}
		stream, err := read(name + ".out")
		if err != nil {
			return nil, err
		}
		if r.Cols == 80 && r.Rows == 24 {
			list = append(list, stream)
		}
	}
	return list, nil
}
