package vt

import "bytes"

// AltSwitch is a sequence that switches to the alternate screen, or back from
// it.
type AltSwitch struct {
	From, To int // its bytes
	On       bool
}

// AltSwitches finds the switches between the screens in an application's output.
func AltSwitches(p []byte) []AltSwitch {
	var found []AltSwitch
	for at := 0; ; {
		i := bytes.Index(p[at:], []byte("\x1b[?"))
		if i < 0 {
			return found
		}
		from := at + i
		at = from + len("\x1b[?")
		param, is := 0, false
		for at < len(p) && (p[at] >= '0' && p[at] <= '9' || p[at] == ';') {
			if p[at] == ';' {
				is = is || isAltMode(param)
				param = 0
			} else {
				param = min(param*10+int(p[at]-'0'), 1<<16)
			}
			at++
		}
		if at < len(p) && (is || isAltMode(param)) && (p[at] == 'h' || p[at] == 'l') {
			found = append(found, AltSwitch{from, at + 1, p[at] == 'h'})
		}
	}
}

func isAltMode(param int) bool { return param == 47 || param == 1047 || param == 1049 }
