package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

// A host's text may be of any length; messages and prompts repeat its beginning.
func TestTextOfHostIsBounded(t *testing.T) {
	t.Parallel()
	long := "words " + strings.Repeat("é", 20<<20)
	var asked Questions
	a := &auth{c: &hostconf.Config{User: "me"}, p: asker{Prompts: Prompts{Questions: func(_ context.Context, _ string, q Questions) ([]string, error) {
		asked = q
		return []string{""}, nil
	}}}}
	if _, err := a.answer(long, long, []string{long}, nil); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"error":       (&Error{Err: errors.New(long)}).Error(),
		"name":        asked.Name,
		"instruction": asked.Instruction,
		"question":    asked.Questions[0].Text,
	} {
		if len(text) > maxText+len("…") || !strings.HasPrefix(text, "words é") || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes, %.20q", name, len(text), text)
		}
	}
}
