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
	"unicode"

	"charm.land/lipgloss/v2"
)

// TokenError is one override that was refused. Name is the token's, as given.
type TokenError struct {
	Name string
	Err  error
}

func (e *TokenError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *TokenError) Unwrap() error { return e.Err }

// ErrUnknownToken is wrapped by the error for a name that no token has.
var ErrUnknownToken = errors.New("no such colour")

// Override returns the theme with other looks for some tokens, written as
// [ParseToken] reads them. Those that are refused are left out and reported, as
// *[TokenError] values joined in the order of their names; the others hold.
func (t Theme) Override(looks map[string]string) (Theme, error) {
	tokens := maps.Collect(t.Palette.tokens())
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		target := tokens[name]
		if target == nil {
			errs = append(errs, &TokenError{name, fmt.Errorf("%w; there are %s", ErrUnknownToken, strings.Join(TokenNames(), ", "))})
			continue
		}
		token, err := ParseToken(looks[name])
		if err != nil {
			errs = append(errs, &TokenError{name, err})
			continue
		}
		if name == "background" { // "#102030" means the colour that is painted
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

// Tokens returns the palette by the tokens' names, in their order.
func (p Palette) Tokens() iter.Seq2[string, Token] {
	return func(yield func(string, Token) bool) {
		for name, t := range p.tokens() {
			if !yield(name, *t) {
				return
			}
		}
	}
}

func (p *Palette) tokens() iter.Seq2[string, *Token] {
	return func(yield func(string, *Token) bool) {
		for f, v := range reflect.ValueOf(p).Elem().Fields() {
			if !yield(kebab(f.Name), v.Addr().Interface().(*Token)) {
				return
			}
		}
	}
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// ParseToken reads a look: attributes (bold, faint, italic, underline,
// reverse), a colour, and after `on` a background, each optional, in any order:
// "bold #ff8800 on 236". A colour is #rgb, #rrggbb, a number from 0 to 255, a
// name of the 16 (red, bright-red, grey …) or default.
func ParseToken(s string) (Token, error) {
	var (
		t      Token
		behind bool // the next colour is the background
	)
	words := strings.Fields(s)
	if len(words) == 0 {
		return t, errors.New(`empty; say for example "bold red" or "#ff8800 on default"`)
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
			return Token{}, fmt.Errorf("a colour must follow on, not %q", w)
		}
	}
	if behind {
		return Token{}, errors.New("a colour must follow on")
	}
	return t, nil
}

func parseColor(w string) (color.Color, error) {
	if w == "default" {
		return nil, nil
	}
	if hex, ok := strings.CutPrefix(w, "#"); ok {
		if _, err := strconv.ParseUint(hex, 16, 32); err != nil || len(hex) != 3 && len(hex) != 6 {
			return nil, fmt.Errorf("bad colour %q; write #rgb or #rrggbb", w)
		}
		return lipgloss.Color(w), nil
	}
	if n, err := strconv.ParseUint(w, 10, 64); err == nil {
		if n > 255 {
			return nil, fmt.Errorf("bad colour %s; numbers go from 0 to 255", w)
		}
		return lipgloss.Color(w), nil
	}
	name, bright := strings.CutPrefix(w, "bright-")
	if name == "grey" || name == "gray" {
		name, bright = "black", true
	}
	at := slices.Index([]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}, name)
	if at < 0 {
		return nil, fmt.Errorf("%q is neither a colour nor an attribute; say for example bold, red, bright-blue, 208 or #ff8800", w)
	}
	if bright {
		at += 8
	}
	return lipgloss.Color(strconv.Itoa(at)), nil
}
