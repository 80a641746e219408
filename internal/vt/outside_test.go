package vt

import (
	"strings"
	"testing"
	"unicode"
)

// outside are sequences that act outside of the terminal of a job: on the window, its tabs, files, fonts, the
// keyboard, a printer, other programs or a multiplexer, or that make a terminal reply.
var outside = []string{
	// the window: position, size, stacking, full screen, reports, selection of its lines and columns
	"\x1b[1t", "\x1b[2t", "\x1b[3;0;0t", "\x1b[4;9;9t", "\x1b[5t", "\x1b[6t", "\x1b[7t", "\x1b[8;9;9t", "\x1b[9;1t", "\x1b[10;2t", "\x1b[11t",
	"\x1b[13t", "\x1b[13;2t", "\x1b[14t", "\x1b[14;2t", "\x1b[15t", "\x1b[16t", "\x1b[18t", "\x1b[19t", "\x1b[20t", "\x1b[21t", "\x1b[24t", "\x1b[99t",
	"\x1b[132$|", "\x1b[25*|", "\x1b[>1t", "\x1b[>3T", "\x1b[>2p", "\x1b[?40h", "\x1b[?95h", "\x1b[?1070h",
	// a printer, media copy
	"\x1b[i", "\x1b[0i", "\x1b[1i", "\x1b[4i", "\x1b[5i", "\x1b[10i", "\x1b[11i", "\x1b[?1i", "\x1b[?4i", "\x1b[?5i", "\x1b[?9i", "\x1b[?18h", "\x1b[?19h",
	// queries
	"\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[=c", "\x1bZ", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?15n", "\x1b[?25n", "\x1b[?26n", "\x1b[?53n", "\x1b[?62n", "\x1b[?63;1n",
	"\x1b[?75n", "\x1b[?85n", "\x1b[?996n", "\x1b[x", "\x1b[1x", "\x1b[2$p", "\x1b[?25$p", "\x1b[1$w", "\x1b[2$w", "\x1b[1$u", "\x1b[&u", "\x1b[+x", "\x1b[1;1;1;1;1;1*y",
	"\x1b[>q", "\x1b[>0q", "\x1b[?u", "\x1b[?4m", "\x1b[#R", "\x1b[?1;1;0S", "\x1b['|", "\x1b[1'|", "\x1b[1;2'z", "\x1b[\"v", "\x1b[?2048h", "\x05",
	// sounds, keyboard, status line, macros, locators, local functions
	"\x1b[8 t", "\x1b[8 u", "\x1b[7;1;1,~", "\x1b[1q", "\x1b[2h", "\x1b[12h", "\x1b[2$~", "\x1b[1$}", "\x1b[1*z", "\x1b[1;2+z", "\x1b[1*}", "\x1b[1;1'w",
	// device control strings, application, privacy and other strings
	"\x1bP$q\"p\x1b\\", "\x1bP+q544e\x1b\\", "\x1bP+p544e=61\x1b\\", "\x1bP1;0;0!z61\x1b\\", "\x1bP1;1|17/61\x1b\\", "\x1bPtmux;\x1b\x1b[2t\x1b\\", "\x1bPq#0;2;0;0;0~\x1b\\",
	"\x1bP1000p%begin 1\x1b\\", "\x1bP=1s\x1b\\", "\x1bP0;1|\x1b\\", "\x1bP1$tx\x1b\\", "\x1b_Ga=T,t=f;L2V0Yy9wYXNzd2Q=\x1b\\", "\x1b_screen\x1b\\", "\x1b^message\x1b\\", "\x1bXstring\x1b\\",
	"\x1bkname\x1b\\", "\x1b!command\x1b\\",
	// operating system commands: colors asked for, files, fonts, notifications with actions, other programs
	"\x1b]3;WM_NAME=x\a", "\x1b]4;1;?\a", "\x1b]5;0;?\a", "\x1b]6;1;bg;red;brightness;9\a", "\x1b]9;1;9\a", "\x1b]9;2;message\a", "\x1b]9;3;tab\a", "\x1b]9;5\a", "\x1b]9;6;macro\a",
	"\x1b]9;7;calc\a", "\x1b]9;8;PATH\a", "\x1b]9;9;c:\\\a", "\x1b]9;10\a", "\x1b]9;12\a", "\x1b]10;?\a", "\x1b]11;?\a", "\x1b]12;?\a", "\x1b]13;#fff\a", "\x1b]17;#fff\a", "\x1b]19;#fff\a",
	"\x1b]20;/tmp/x.png\a", "\x1b]21;foreground=?\a", "\x1b]22;hand\a", "\x1b]30;tab\a", "\x1b]46;/tmp/log\a", "\x1b]49;/tmp/x.png\a", "\x1b]50;10x20\a", "\x1b]50;?\a", "\x1b]51;Eeval\a",
	"\x1b]52;c;?\a", "\x1b]52;p;?\x1b\\", "\x1b]60\a", "\x1b]61;allowWindowOps\a", "\x1b]99;i=1:p=?;\a", "\x1b]99;i=1:a=report;x\a", "\x1b]176;app\a", "\x1b]440;/tmp/x.wav\a", "\x1b]555\a", "\x1b]633;E;rm\a", "\x1b]697;x\a",
	"\x1b]701;C\a", "\x1b]702;?\a", "\x1b]705;50\a", "\x1b]710;font\a", "\x1b]777;precmd\a", "\x1b]777;opacity;9\a", "\x1b]1337;File=inline=0;name=eA==:eA==\a", "\x1b]1337;RequestUpload=format=tgz\a",
	"\x1b]1337;SetUserVar=a=eA==\a", "\x1b]1337;RunCommand=x\a", "\x1b]1337;CopyToClipboard=\a", "\x1b]1337;ReportVariable=eA==\a", "\x1b]1337;StealFocus\a", "\x1b]5113;ac=send\a", "\x1b]5522;type=read\a",
	"\x1b]Lname\a", "\x1b]lname\a", "\x1b]I/tmp/icon\a", "\x1b]P0000000\a",
	// 8-bit controls in UTF-8
	"\u009bc", "\u009b6n", "\u009d52;c;?\u009c", "\u0090$qm\u009c", "\u0085", "\u009a",
	// other kinds of escape sequences: 8-bit controls, keyboards, memory lock, other character encodings
	"\x1b G", "\x1b F", "\x1b%@", "\x1b%G", "\x1bl", "\x1bm", "\x1bd", "\x1b`", "\x1ba", "\x1bb", "\x1b#7",
}

// What a job prints acts only in its own terminal, wherever reads of it cut a sequence.
func TestFilterRemovesWhatActsOutside(t *testing.T) {
	for _, s := range outside {
		for cut := range len(s) + 1 {
			f := Filter{Clipboard: true, TitleKept: true}
			got := f.Append(nil, []byte("a"+s[:cut]))
			got = f.Append(got, []byte(s[cut:]+"b"))
			if strings.ContainsFunc(string(got), unicode.IsControl) { // a part that remains as text does no harm
				t.Errorf("%q, cut at %d: %q passes", s, cut, got)
				break
			}
		}
	}
}
