//go:build linux

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/cli"
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

// Each scene can be played, and README.md shows each.
func TestScenes(t *testing.T) {
	dir := t.TempDir()
	if err := draw(dir, true); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes() {
		fresh, err := os.ReadFile(filepath.Join(dir, s.name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(s.name + ".svg")
		if err != nil {
			t.Errorf("%v: go generate ./docs/pictures makes it", err)
			continue
		}
		for name, picture := range map[string]string{"fresh": string(fresh), "kept": string(kept)} {
			if err := wellFormed(picture); err != nil {
				t.Errorf("%s, %s: %v", s.name, name, err)
			}
			if !strings.Contains(picture, ">running<") && s.name != "palette" && s.name != "search" {
				t.Errorf("%s, %s: no job is running in it", s.name, name)
			}
		}
		if !strings.Contains(string(readme), "docs/pictures/"+s.name+".svg") {
			t.Errorf("README.md does not show %s.svg", s.name)
		}
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
	got := string(svg(screen))
	for _, want := range []string{
		`<path d="M18.2 32.0Q18.2 23.0 22.4 23.0"`,
		`>a&lt;b</text>`,
		`font-weight="bold" textLength="25.2">red</text>`,
		`fill="` + defaultBg + `" textLength="25.2">rev</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
