package themes

import (
	"errors"
	"fmt"
	"image/color"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/internal/spelling"
)

// ErrUnknownToken is the error for an unknown name of a token.
var ErrUnknownToken = errors.New("unknown color")

// Override returns the theme with other styles for some tokens, in the syntax of [ParseToken]. The
// error joins one for each invalid override, in the order of names. Valid ones are applied.
func (t Theme) Override(looks map[string]string) (Theme, error) {
	tokens := maps.Collect(t.Palette.tokens())
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		target := tokens[name]
		if target == nil {
			errs = append(errs, fmt.Errorf("%s: %w; valid names are %s", name, ErrUnknownToken, strings.Join(TokenNames(), ", ")))
			continue
		}
		token, err := ParseToken(looks[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if name == "background" { // "#102030" is the background here
			token = Token{BG: token.FG}
		}
		*target = token
	}
	// Palette.tokens points into the copy that t is.
	return t, errors.Join(errs...)
}

// TokenNames returns the names of all tokens in the order of [Palette].
func TokenNames() []string {
	var p Palette
	var names []string
	for name := range p.tokens() {
		names = append(names, name)
	}
	return names
}

// tokens returns the tokens with their names, in the order of the fields.
func (p *Palette) tokens() iter.Seq2[string, *Token] {
	return func(yield func(string, *Token) bool) {
		for f, v := range reflect.ValueOf(p).Elem().Fields() {
			if !yield(spelling.Separate(f.Name, '-'), v.Addr().Interface().(*Token)) {
				return
			}
		}
	}
}

// ParseToken parses a style: attributes (bold, faint, italic, underline, reverse), a color, and
// after "on" a background, each optional, in any order: "bold #ff8800 on 236". A color is #rgb,
// #rrggbb, a number from 0 to 255, a name of the 16 colors (red, bright-red, gray …) or default.
func ParseToken(s string) (Token, error) {
	var (
		t      Token
		behind bool // the next color is the background
	)
	words := strings.Fields(s)
	if len(words) == 0 {
		return t, errors.New(`empty; use for example "bold red" or "#ff8800 on default"`)
	}
	for _, w := range words {
		switch strings.ToLower(w) {
		case "bold":
			t.Bold = true
		case "faint", "dim":
			t.Faint = true
		case "italic":
			t.Italic = true
		case "underline":
			t.Underline = true
		case "reverse", "invert":
			t.Invert = true
		case "on":
			behind = true
			continue
		default:
			c, err := parseColor(strings.ToLower(w))
			if err != nil {
				return Token{}, err
			}
			if behind {
				t.BG = c
			} else {
				t.FG = c
			}
			behind = false
			continue
		}
		if behind {
			return Token{}, fmt.Errorf("expected a color after \"on\", got %q", w)
		}
	}
	if behind {
		return Token{}, errors.New("missing color after \"on\"")
	}
	return t, nil
}

func parseColor(w string) (color.Color, error) {
	if w == "default" {
		return nil, nil
	}
	if hex, ok := strings.CutPrefix(w, "#"); ok {
		if _, err := strconv.ParseUint(hex, 16, 32); err != nil || len(hex) != 3 && len(hex) != 6 {
			return nil, fmt.Errorf("invalid color %q; use #rgb or #rrggbb", w)
		}
		return lipgloss.Color(w), nil
	}
	if n, err := strconv.ParseUint(w, 10, 64); err == nil {
		if n > 255 {
			return nil, fmt.Errorf("invalid color %s; use 0 to 255", w)
		}
		return lipgloss.Color(w), nil
	}
	name, bright := strings.CutPrefix(w, "bright-")
	if name == "grey" || name == "gray" {
		name, bright = "black", true
	}
	at := slices.Index([]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}, name)
	if at < 0 {
		return nil, fmt.Errorf("unknown color or attribute %q; use for example bold, red, bright-blue, 208 or #ff8800", w)
	}
	if bright {
		at += 8
	}
	return lipgloss.Color(strconv.Itoa(at)), nil
}
