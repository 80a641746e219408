// Command record makes the corpus that the emulator is compared with: it runs
// programs in a PTY, types into them, keeps what they print, and asks tmux what
// the screen is after each step.
//
//	go run ./internal/vt/testdata/record [-o corpus.zip] [-only REGEXP] [-size COLSxROWS] [-scenes FILE]
//	go run ./internal/vt/testdata/record -o other.zip -splice 200 [-seed N] [-distance N]
//
// With -scenes it records those of a file of JSON: a list of objects with Name,
// Cols, Rows, Command and Steps. With -splice it makes streams of pieces of the corpus. The test compares any
// such file: go test ./internal/vt -run TestScreens -args -corpus FILE.
//
// It needs Linux with unshare (the programs see no other processes), tmux, and
// the programs of scenes.go; scenes whose program is missing are left out.
package main

import (
	"archive/zip"
	"compress/flate"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// Recording is one scene of the corpus; the test reads the same form.
type Recording struct {
	Name       string
	Cols, Rows int
	Marks      []Mark
	Sizes      []Size `json:",omitempty"`
}

// Size is a resize, between the byte before At and the one there.
type Size struct {
	At, Cols, Rows int
}

// Mark is what tmux shows after the first At bytes.
type Mark struct {
	At     int
	Screen string // capture-pane -e
	X, Y   int
	Shown  bool // the cursor
	Alt    bool
	Title  string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "feed" {
		if err := feed(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	out := flag.String("o", "internal/vt/testdata/corpus.zip", "the corpus to write")
	only := flag.String("only", "", "scenes to record")
	size := flag.String("size", "", "COLSxROWS for all scenes instead of their own")
	file := flag.String("scenes", "", "a file of other scenes")
	splices := flag.Int("splice", 0, "make that many streams out of pieces of the corpus instead")
	seed := flag.Uint64("seed", 1, "what the pieces are chosen by")
	distance := flag.Int("distance", 0, "take the screens of spliced streams so many bytes apart")
	flag.Parse()
	if *splices > 0 {
		if err := splice(*out, "internal/vt/testdata/corpus.zip", *splices, *seed, *distance, regexp.MustCompile(*only)); err != nil {
			log.Fatal(err)
		}
		return
	}
	list := scenes()
	if *file != "" {
		var err error
		if list, err = readScenes(*file); err != nil {
			log.Fatal(err)
		}
	}
	if *size != "" {
		var cols, rows int
		if _, err := fmt.Sscanf(*size, "%dx%d", &cols, &rows); err != nil {
			log.Fatalf("size %q: give it as 80x24", *size)
		}
		for i := range list {
			list[i].cols, list[i].rows = cols, rows
		}
	}
	if err := run(*out, list, regexp.MustCompile(*only)); err != nil {
		log.Fatal(err)
	}
}

func run(out string, list []scene, only *regexp.Regexp) error {
	var (
		mu   sync.Mutex
		done = map[string]recorded{}
		wg   sync.WaitGroup
		turn = make(chan struct{}, 3)
	)
	for _, s := range list {
		if !only.MatchString(s.name) {
			continue
		}
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			r, err := record(s)
			if err != nil {
				log.Printf("%s: left out: %v", s.name, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			done[s.name] = r
			log.Printf("%s: %d screens, %d bytes", s.name, len(r.Marks), len(r.stream))
		})
	}
	wg.Wait()
	return write(out, done)
}

func write(out string, done map[string]recorded) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	names := make([]string, 0, len(done))
	screens := 0
	for n := range done {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		r := done[n]
		screens += len(r.Marks)
		head, err := json.Marshal(r.Recording)
		if err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			data []byte
		}{{n + ".json", head}, {n + ".out", r.stream}} {
			w, err := z.Create(part.name)
			if err != nil {
				return err
			}
			if _, err := w.Write(part.data); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d scenes, %d screens: %s\n", len(names), screens, strings.TrimPrefix(out, "./"))
	return z.Close()
}
