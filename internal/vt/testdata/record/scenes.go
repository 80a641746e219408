package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// scene is a program and what is typed into it, step by step; a screen is
// taken after each. A step such as "resize 100x30" changes the size instead.
type scene struct {
	name       string
	cols, rows int
	command    string
	steps      []string
}

// installed reports whether the command's first word that is not an assignment
// is a program of the path that scenes have.
func (s scene) installed() bool {
	for w := range strings.FieldsSeq(s.command) {
		if strings.Contains(w, "=") {
			continue
		}
		if strings.HasPrefix(w, "/") {
			_, err := os.Stat(w)
			return err == nil
		}
		for dir := range strings.SplitSeq(path, ":") {
			if _, err := os.Stat(dir + "/" + w); err == nil {
				return true
			}
		}
		return false
	}
	return false
}

// readScenes reads scenes of a file.
func readScenes(name string) ([]scene, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var given []struct {
		Name, Command string
		Cols, Rows    int
		Steps         []string
	}
	if err := json.Unmarshal(b, &given); err != nil {
		return nil, err
	}
	var list []scene
	for _, g := range given {
		list = append(list, scene{g.Name, g.Cols, g.Rows, g.Command, g.Steps})
	}
	return list, nil
}

const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	appUp, appDown        = "\x1bOA", "\x1bOB"
	pageUp, pageDown      = "\x1b[5~", "\x1b[6~"
	f1, f2, f3, f4        = "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"
	f5, f6, f9, f10       = "\x1b[15~", "\x1b[17~", "\x1b[20~", "\x1b[21~"
	esc, tab, enter       = "\x1b", "\t", "\r"
)

func scenes() []scene {
	list := []scene{
		{"vim", 80, 24, "vim hello.go", []string{"jjj", "ggVG", esc + ":set list\r", "/hello\r", "Oinserted 漢字 text" + esc, "dd", "p", ":split script.py\r", "\x17j", ":set nowrap\r", ":vsplit\r", "u", ":q!\r"}},
		{"vim-long", 80, 24, "vim long.txt", []string{"\x04", "\x04", "\x06", "\x02", "G", "gg", "\x05\x05\x05", "zz", "zt", ":200\r", "10dd", "u", ":set nonumber\r", "10J", "5yyP"}},
		{"vim-wide", 132, 43, "vim -O hello.go script.py notes.md", []string{"\x17l", "\x17l", "G", "ofoo 日本語" + esc, ":help\r", "\x04", ":q\r", ":set cursorline cursorcolumn\r", "jjj"}},
		{"vim-small", 40, 10, "vim notes.md", []string{"jjjj", "jjjj", "G", "A more text to wrap around the edge" + esc, "gg", "x"}},
		{"vim-truecolor", 80, 24, "vim -c 'set termguicolors' -c 'colorscheme desert' script.py", []string{"jj", "V", "j", esc, ":sp\r", ":set spell\r"}},
		{"nvim", 80, 24, "nvim -u NONE -n hello.go", []string{"jjj", "Vj", esc, "/fmt\r", "Otext é漢" + esc, ":split\r", ":vsplit script.py\r", ":help\r", "\x04", ":qa!\r"}},
		{"nvim-long", 100, 30, "nvim -u NONE -n long.txt", []string{"\x04", "\x04", "\x15", "G", "gg", "\x05\x05", "10dd", "u", ":set number\r", ":syntax on\r", "zz"}},
		{"nvim-markdown", 80, 24, "nvim --clean -n notes.md", []string{"jj", "jj", "G", "A 日本" + esc, ":set nowrap\r", "gg", "v$"}},
		{"emacs", 80, 24, "emacs -nw -Q hello.go", []string{"\x0e\x0e", "\x13fmt", "\x07", "\x182", "\x18o", "\x183", "\x1bx", "text-mode\r", "\x1b<", "abc 漢字", "\x18u", "\x181", "\x18b\r"}},
		{"emacs-long", 80, 24, "emacs -nw -Q long.txt", []string{"\x16", "\x16", "\x1bv", "\x1b>", "\x1b<", "\x0b\x0b", "\x19", "\x0c"}},
		{"emacs-dired", 90, 30, "emacs -nw -Q .", []string{"nn", "nn", "\x08t", "\x16", "\x18o"}},
		{"htop", 100, 30, "htop -d 100", []string{down, down, f6, esc, f2, down, esc, "t", "/sh", esc, f5, "\x1bOP", "q"}},
		{"htop-small", 60, 15, "htop -d 100", []string{down, "u", esc, "I", f1, "q"}},
		{"top", 80, 24, "top -d 100", []string{"1", "c", "V", "z", "x", "h", "q", "f", "q", "m", "t", "E"}},
		{"less", 80, 24, "less long.txt", []string{" ", " ", "b", "G", "g", "/lazy\r", "n", "\x1bu", "-S\r", right, left, "h", "q", "20j", "j", "k", "10k"}},
		{"less-unicode", 60, 20, "less notes.md", []string{"G", "g", "/日本\r", "-N\r", "q"}},
		{"less-color", 80, 24, "ls --color=always -l /usr/bin | less -R", []string{" ", " ", "b", "k", "k", "G", "100g", "/zip\r"}},
		{"more", 80, 24, "more long.txt", []string{" ", " ", "\r", "\r", "b", "q"}},
		{"man", 80, 24, "PAGER=less man -P less ls || less -f /usr/share/doc/bash/README", []string{" ", " ", "b", "G", "h", "q"}},
		{"mc", 80, 24, "mc -u", []string{down, down, tab, f9, down, down, esc + esc, "\x0f", "\x0f", f3, f3, "ls\r"}},
		{"mc-wide", 120, 40, "mc -u -S default", []string{down, f9, right, right, down, esc + esc, f1, esc + esc, "\x1bi"}},
		{"mcedit", 80, 24, "mcedit hello.go", []string{down, down, "text 漢字", f3, down, down, f3, f9, esc + esc, f10}},
		{"mcview", 80, 24, "mc -u -v long.txt", []string{pageDown, pageDown, pageUp, f4, f4, down, down}},
		{"tmux", 80, 24, "tmux -L x new-session", []string{"ls -l\r", "\x02\"", "echo in pane\r", "\x02%", "echo right\r", "\x02o", "seq 100\r", "\x02[", up, pageUp, "q", "\x02c", "\x02w", "q", "\x02z", "\x02t", "q"}},
		{"tmux-vim", 100, 30, "tmux -L y new-session vim hello.go", []string{"jj", "\x02%", "seq 200\r", "\x02o", ":vs\r", "Gofoo\x1b", "\x02o", "less long.txt\r", " ", "q"}},
		{"screen", 80, 24, "screen", []string{"ls -l\r", "seq 100\r", "\x01c", "echo second\r", "\x01S", "\x01\t", "\x01?", " ", "\x01\"", esc}},
		{"screen-vim", 80, 24, "screen vim hello.go", []string{"jj", "\x04", "ggVG", esc, ":split\r", "Goxyz\x1b"}},
		{"fzf", 80, 24, "ls /usr/bin | fzf", []string{"gi", up, up, "\x17", "zip", down, "\x7f", "\x1b[B"}},
		{"fzf-border", 80, 24, "ls /usr/bin | fzf --height 60% --border --reverse --preview 'echo {} | cat; seq 30' --multi", []string{down, tab, tab, "p", "y", "\x17"}},
		{"fzf-full", 120, 35, "ls /usr/bin | fzf --preview 'ls -l /usr/bin/{}' --preview-window up", []string{"a", "b", "\x7f\x7f", up, up}},
		{"fish", 80, 24, "fish", []string{"echo hel", "lo\r", "ls -l\r", "l", right, "\x03", "for i in 1 2 3\r", "echo $i\r", "end\r", up, up, "\x03", "ls s\t", "\r", "echo 漢字 é\r", "\x0c", "cd /usr/\t\t"}},
		{"fish-narrow", 40, 12, "fish", []string{"echo a long line of words that wraps around the edge of this terminal", "\r", up, "\x01", "x", "\x05", "\x03", "seq 30\r"}},
		{"zsh", 80, 24, "zsh", []string{"echo hello\r", "ls -l\r", "ls /usr/\t", "\t", "\t", "\x03", "echo a very long line of words that is typed to go beyond the edge of the terminal window", "\x01", "X", "\x05\r", "print -P '%F{red}red%f'\r", "\x12ls", "\x03", "seq 40\r", "\x0c"}},
		{"bash", 80, 24, "bash --norc", []string{"ls --color=always\r", "echo a very long line of words that is typed to go beyond the edge of the terminal window and more", "\x01", "X", "\x1bf", "\x0b", "\r", "\x12ls", "\x07", "ls s\t\t", "\x03", "seq 40\r", "echo 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 é", "\x7f\x7f\x7f", "\r"}},
		{"dash", 80, 24, "dash -i", []string{"ls -l\r", "cat long.txt\r", "printf '\\033[31mred\\033[0m\\n'\r"}},
		{"ipython", 100, 30, "ipython --no-banner --simple-prompt", []string{"1+1\r", "print('漢字')\r", "for i in range(3): print(i)\r\r", "1/0\r"}},
		{"ipython-color", 100, 30, "ipython --no-banner", []string{"import os\r", "def f(x):\rreturn x\r\r", "f?\r", "q", "1/0\r", "os.pa\t"}},
		{"python", 80, 24, "python3 -q", []string{"print('x' * 100)\r", "import sys; sys.version_info\r", "1/0\r", "help()\r", "quit\r"}},
		{"node", 80, 24, "node", []string{"({a:1,b:[1,2,{c:'漢'}]})\r", "[1,2,3].ma", "\t", "p(x=>x)\r", ".help\r", "consol\t\t"}},
		{"sqlite", 80, 24, "sqlite3", []string{".mode box\r", "select 1 as one, 'two' as two, 'drei' drei;\r", ".help\r"}},
		{"bc", 80, 24, "bc", []string{"2^1000\r", "scale=50; 1/7\r"}},
		{"gdb-tui", 90, 30, "gdb -q -tui --nx /bin/sh", []string{"help\r", "layout asm\r", "info line main\r", "layout regs\r"}},
		{"watch", 80, 24, "watch -n 1 -t 'date +%S; ls -l'", []string{" ", " ", " "}},
		{"watch-diff", 80, 24, "watch -d -n 1 'date +%s%N; seq 10'", []string{" ", " ", " "}},
		{"lynx", 80, 24, "lynx /usr/share/doc", []string{down, down, " ", "h", left, "o"}},
		{"git-log", 80, 24, "git init -q r && cd r && for i in 1 2 3 4 5 6 7 8 9; do echo $i >> f; git add f; git commit -qm \"change $i\"; done; git branch side HEAD~3; git log --graph --all --stat", []string{" ", " ", "/change 3\r", "q"}},
		{"git-diff", 80, 24, "git init -q r && cd r && cp ../long.txt . && git add . && git commit -qm a && sed -i 's/fox/漢字/; 20,30d' long.txt && git diff --word-diff", []string{" ", " ", "G", "q"}},
		{"git-add-p", 80, 24, "git init -q r && cd r && cp ../hello.go . && git add . && git commit -qm a && sed -i 's/hello/bye/; 1i // top' hello.go && git add -p", []string{"?\r", "y\r", "n\r"}},
		{"npm", 80, 24, "npm --offline init -y; npm help install | head -50; npm ls", []string{"", ""}},
		{"npm-run", 80, 24, "echo '{\"name\":\"x\",\"version\":\"1.0.0\",\"scripts\":{\"dev\":\"node -e \\\"let i=0;setInterval(()=>{console.log(String(i++));if(i>30)process.exit()},20)\\\"\"}}' > package.json; npm run dev; npm run", []string{"", ""}},
		{"npx-prompt", 80, 24, "npm --offline init", []string{"name\r", "\r", "a description 漢\r", "\r", "\r"}},
		{"cargo", 80, 24, "cargo new --offline hello 2>&1; cd hello && cargo build --offline; cargo run --offline; cargo help build | head -60", []string{"", ""}},
		{"pip", 80, 24, "pip --disable-pip-version-check list; pip --disable-pip-version-check install --no-index nothing; pip help install | head -40", []string{"", ""}},
		{"apt", 80, 24, "apt-cache search editor | head -40; apt list --installed 2>/dev/null | head -60", []string{"", ""}},
		{"vttest-cursor", 80, 24, "vttest", []string{"1\r", "\r", "\r", "\r", "\r", "\r", "\r", "0\r"}},
		{"vttest-screen", 80, 24, "vttest", []string{"2\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r"}},
		{"vttest-charsets", 80, 24, "vttest", []string{"3\r", "8\r", "\r", "\r", "0\r", "0\r"}},
		{"vttest-vt102", 80, 24, "vttest", []string{"8\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r"}},
		{"vttest-color", 80, 24, "vttest", []string{"11\r", "6\r", "2\r", "\r", "3\r", "\r", "4\r", "\r", "5\r", "\r"}},
		{"vttest-movement", 80, 24, "vttest", []string{"11\r", "5\r", "2\r", "\r", "3\r", "\r", "4\r", "\r", "5\r", "\r", "6\r", "\r"}},
	}
	return slices.Concat(list, more(), dialogs(), scripts(), tools(), examples(), terminalTests(), programs())
}
