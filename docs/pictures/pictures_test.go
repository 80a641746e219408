//go:build linux

package pictures

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/vt"
)

func TestMain(m *testing.M) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	if filepath.Base(os.Args[0]) == "hob" {
		os.Exit(cli.Main(os.Args))
	}
	if filepath.Base(os.Args[0]) == "vite" {
		serve(os.Stdout)
	}
	testtool.Prepare()
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "draw the pictures anew")

// TestPictures plays each scene, and checks the result and the kept pictures.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	if *update {
		dir = "."
	}
	if err := draw(dir, !*update); err != nil {
		t.Fatal(err)
	}
	pages := documents(t)
	for _, s := range append(scenes(), firstMinute()) {
		fresh, err := os.ReadFile(filepath.Join(dir, s.name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(s.name + ".svg")
		if err != nil {
			t.Errorf("%v: go test ./docs/pictures -update makes it", err)
			continue
		}
		for name, picture := range map[string]string{"fresh": string(fresh), "kept": string(kept)} {
			if err := wellFormed(picture); err != nil {
				t.Errorf("%s, %s: %v", s.name, name, err)
			}
			if !strings.Contains(picture, ">running<") && s.name != "palette" && s.name != "search" {
				t.Errorf("%s, %s: no job is running in it", s.name, name)
			}
			if s.name == firstMinute().name {
				checkAnimation(t, name, picture)
			}
		}
		if !strings.Contains(pages, "pictures/"+s.name+".svg") {
			t.Errorf("neither README.md nor a page in docs shows %s.svg", s.name)
		}
	}
}

// documents is the text of README.md and of the pages in docs.
func documents(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range append(names, "../../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// checkAnimation checks what lets a picture play in an <img>, and that it has the frames
// of the scene.
func checkAnimation(t *testing.T, name, picture string) {
	t.Helper()
	if len(picture) > 400_000 {
		t.Errorf("%s: %d bytes", name, len(picture))
	}
	for _, bad := range []string{"<script", "foreignObject", "http://www.w3.org/1999", "url("} {
		if strings.Contains(picture, bad) {
			t.Errorf("%s: has %s", name, bad)
		}
	}
	if !strings.Contains(picture, "prefers-reduced-motion:no-preference") {
		t.Errorf("%s: it moves for readers who want no motion", name)
	}
	if got, want := strings.Count(picture, "{transform:"), len(firstMinute().steps); got != want {
		t.Errorf("%s: %d frames, want %d: go test ./docs/pictures -update", name, got, want)
	}
	for _, text := range []string{">hob<", ">Ctrl+B<", ">VITE<", ">/fail<", ">complete!<"} {
		if !strings.Contains(picture, text) {
			t.Errorf("%s: %s is missing", name, text)
		}
	}
}

func TestAnimate(t *testing.T) {
	screen := vt.New(10, 2)
	_, _ = screen.Write([]byte("same\r\n\x1b[?25lone"))
	frames := []frame{{drawScreen(screen), "Esc: back", time.Second}}
	_, _ = screen.Write([]byte(" two"))
	frames = append(frames, frame{drawScreen(screen), "", 3 * time.Second})
	got := string(animate(frames, 1))
	for _, want := range []string{
		`0.000%{transform:translateX(-0.0px)}25.000%{transform:translateX(-112.0px)}`,
		`animation:film 4s step-end infinite`,
		`<g class="film" transform="translate(-112.0 0)">`,
		`font-weight="bold">Esc</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, ">same</text>"); n != 1 {
		t.Errorf("a row that is in two frames is drawn %d times", n)
	}
	if again := string(animate(frames, 1)); again != got {
		t.Error("the same frames give another picture")
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestSVG(t *testing.T) {
	screen := vt.New(12, 2)
	_, _ = screen.Write([]byte("╭─ a<b\r\n\x1b[1;31mred\x1b[m \x1b[7mrev\x1b[m"))
	got := string(drawScreen(screen).svg())
	for _, want := range []string{
		`<g transform="translate(14 14)"><path d="M4.2 18Q4.2 9 8.4 9M8.4 9H16.8"`,
		`>a&lt;b</text>`,
		`font-weight="bold" textLength="25.2">red</text>`,
		`fill="` + defaultBg + `" textLength="25.2">rev</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
