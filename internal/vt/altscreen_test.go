package vt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/vt"
)

func TestAltSwitches(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []vt.AltSwitch
	}{
		"none":              {"\x1b[31mtext\x1b[?25h\x1b[?1050h 1049h", nil},
		"on and off":        {"a\x1b[?1049hb\x1b[?1049l", []vt.AltSwitch{{1, 9, true}, {10, 18, false}}},
		"modes 47 and 1047": {"\x1b[?47h\x1b[?1047l", []vt.AltSwitch{{0, 6, true}, {6, 14, false}}},
		"among other modes": {"\x1b[?1;1049;25h", []vt.AltSwitch{{0, 13, true}}},
		"query, incomplete": {"\x1b[?1049$p\x1b[?1049", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, vt.AltSwitches([]byte(tt.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
