package main

// tools are further programs of every day.
func tools() []scene {
	return []scene{
		{"tig", 100, 30, "git init -q r && cd r && for i in 1 2 3 4 5 6 7 8 9; do cp ../long.txt f; sed -i ${i}0,${i}5d f; git add f; git commit -qm \"change $i 漢字\"; done; tig", []string{down, down, enter, " ", "q", "t", "q", "h", "q", "/change 3\r", ":"}},
		{"tig-status", 80, 24, "git init -q r && cd r && cp ../*.* . && git add hello.go && git commit -qm a && sed -i s/a/b/ hello.go && tig status", []string{down, enter, down, "q"}},
		{"nano", 80, 24, "nano hello.go", []string{down + down, "text 漢字 é", "\x0b", "\x15", "\x17fmt\r", "\x07", "\x18", "\x1b#", "\x0f", "\x03", "\x18", "n"}},
		{"nano-long", 60, 20, "nano -l -i long.txt", []string{pageDown, pageDown, pageUp, "\x1b/", "\x1b\\", "\x1fg", "\x03", "\x1f100\r"}},
		{"git-log-colour", 100, 30, "git init -q r && cd r && for i in 1 2 3 4 5 6 7 8 9; do echo $i >> f; git add f; git commit -qm \"change $i\"; done; git log --color --oneline --graph --decorate -p", []string{" ", " ", "-S\r", "b", "G"}},
		{"git-blame", 80, 24, "git init -q r && cd r && cp ../hello.go . && git add . && git commit -qm a && git blame --color-lines hello.go | cat; git -c color.ui=always status; git show --stat --color | cat", []string{""}},
		{"diff-colour", 80, 24, "sed 's/fox/cat/;20,25d' long.txt > b; diff --color=always -u long.txt b | head -80; diff -y -W 78 hello.go script.py", []string{""}},
		{"cargo-build", 80, 24, "cargo new -q --offline hello; cd hello; cargo build --offline --color always; cargo build -v --offline --color always; echo 'fn f() { let x = 漢字; }' >> src/main.rs; cargo build --offline --color always; cargo run --offline 2>&1 | cat", []string{"", "", "", ""}},
		{"cargo-test", 100, 30, "cargo new -q --lib --offline hello; cd hello; cargo test --offline --color always", []string{"", "", "", ""}},
		{"npm-errors", 80, 24, "npm run nothing; npm ls --all; npm uninstall; npm help-search zzz", []string{"", "", ""}},
		{"npm-progress", 80, 24, "node -e 'const s=process.stderr;let i=0;const f=\"⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏\";const t=setInterval(()=>{s.clearLine(0);s.cursorTo(0);s.write(f[i%10]+\" \\x1b[2mreify:\\x1b[22m fetch \"+\"x\".repeat(i%40));if(++i>60){clearInterval(t);s.clearLine(0);s.cursorTo(0);s.moveCursor(0,-1);console.log(\"added 60 packages\")}},5)'", []string{"", ""}},
		{"pip-errors", 80, 24, "python3 -m pip --no-color install --no-index nothing; python3 -m pip debug; python3 -m pip help", []string{"", ""}},
		{"python-errors", 80, 24, "FORCE_COLOR=1 python3 -c 'def f(n): return f(n-1) if n else 1/0\nf(30)'; python3 -m unittest -v; python3 -m pydoc str", []string{" ", " ", "q"}},
		{"curl-progress", 80, 24, "curl -o x file:///etc/services; curl -# -o y file:///usr/bin/bash; curl --help all | head -50", []string{""}},
		{"wget-help", 80, 24, "wget --progress=bar:force -O x http://127.0.0.1:9/; wget --help | head -70", []string{""}},
		{"make-colour", 80, 24, "make -j4 -k b all; make -n -d | head -90", []string{""}},
		{"mvn", 100, 30, "mvn -o -B --version; mvn -o -X --color always validate", []string{"", "", "", ""}},
		{"perl-debug", 80, 24, "perl -de 0", []string{"p 'x' x 100\r", "h\r", "x {a=>[1,2]}\r", "q\r"}},
		{"psql", 80, 24, "psql --help; psql -h 127.0.0.1 -p 1", []string{""}},
		{"strace", 80, 24, "strace -c ls; strace -f -e trace=openat ls", []string{""}},
		{"pstree", 80, 24, "sh -c 'sleep 100 & sleep 100 & (sleep 100; echo) & pstree -pal; pstree -U; ps axf; free -h; df -h /tmp/home; kill %1 %2 %3'", []string{""}},
		{"jq-colour", 60, 20, "jq -C . data.json; jq -C --tab '.list' data.json; printf '[%s1]' $(seq 1 30 | sed 's/$/,/') | jq -C .", []string{""}},
		{"sqlite-modes", 100, 30, "sqlite3", []string{"create table t(a,b); insert into t values(1,'漢字'),(2,'é'),(3,null);\r", ".mode table\r", "select * from t;\r", ".mode markdown\r", "select * from t;\r", ".headers on\r", ".mode column\r", "select * from t;\r", ".schema\r"}},
		{"man-wide", 120, 40, "man -P less bash", []string{" ", " ", "/expansion\r", "n", "\x1bu", "G", "b", "h"}},
		{"man-narrow", 40, 12, "MANWIDTH=40 man -P less ls", []string{" ", " ", "b", "&file\r"}},
		{"less-raw", 80, 24, "seq 200 | while read i; do printf '\\033[%dm%d \\033[1;4mcolour\\033[0m \\033]8;;http://x/%d\\033\\\\link\\033]8;;\\033\\\\ 漢字\\n' $((31+i%6)) $i $i; done | less -R", []string{" ", " ", "k", "k", "/link\r", "n", "-N\r", "b", "-S\r", right}},
		{"less-files", 80, 24, "less hello.go script.py notes.md", []string{":n\r", ":n\r", ":p\r", "=", "-i\r", "mA", "'A", "F", "\x03", "|^cat\r"}},
		{"htop-setup", 120, 40, "htop -d 100", []string{"S", right, right, down, " ", esc, "\x1b[18~", esc, "M", "N", "s", esc, "x", esc, "\\sh", esc, "+", "-"}},
		{"top-windows", 120, 40, "top -d 100 -w 120", []string{"A", "w", "=", "-", "V", "u", "\r", "o", "COMMAND=top\r", "L", "sh\r", "&", "Z", "q"}},
		{"mc-menus", 90, 28, "mc -u", []string{f9, enter, down, right, right, right, down, down, down, esc + esc, "+", "*.go\r", "\x1b[15~", esc + esc, "\x1b\r", tab, "\x15"}},
		{"mc-find", 80, 24, "mc -u -c", []string{"\x1b?", tab + tab, esc + esc, "\x18d", esc + esc, "\x1c", enter, f2, esc + esc, "\x1b[24;2~", f4, esc + esc}},
		{"mc-edit-syntax", 100, 30, "mc -u -e script.py", []string{pageDown, down, f9, down, esc + esc, "\x1bl", esc + esc, f2, esc + esc}},
		{"fzf-vim-keys", 80, 24, "seq 200 | fzf --height 40% --layout reverse-list --cycle --bind ctrl-a:select-all --multi --color light", []string{"\x01", up, up, "5", tab, "\x0b"}},
		{"fzf-preview-wrap", 100, 30, "ls | fzf --preview 'cat {}' --preview-window 'right:60%:wrap' --ansi", []string{up, up, "md", "\x7f\x7f", "go"}},
		{"fish-complete", 100, 30, "fish", []string{"git \t", "\t", down, "\x03", "ls --\t", "\t\t", "\x03", "echo $\t", "\x03", "if true\recho yes\relse\recho no\rend\r", "cat notes.md\r", "fish_config prompt list\r"}},
		{"fish-vi", 80, 24, "fish", []string{"fish_vi_key_bindings\r", "echo some words here" + esc, "bb", "cwnew", esc + "0", "v", "w", "x", "\r"}},
		{"zsh-highlight", 80, 24, "zsh", []string{"setopt prompt_sp; printf 'no newline'\r", "select x in a b c; do echo $x; done\r", "2\r", "\x04", "vared -p 'edit: ' PATH\r", "\x03", "echo 'quote\r>more'\r", "fc -l\r", "zle -la | head -30\r", "print -P '%B%F{208}bold%f%b %U%K{22}under%k%u'\r"}},
		{"bash-prompt", 70, 20, "bash --norc", []string{"PROMPT_COMMAND='printf \"\\033]0;%s\\007\" here'\r", "PS1='\\[\\e[1;34m\\]┌─[\\w]\\n└─▶ \\[\\e[m\\]'\r", "echo one two three four five six seven eight nine ten eleven twelve", "\x01\x1bf\x1bf", "\x17", "\x19\x19", "\r", "clear\r", "for i in {1..30}; do echo -ne \"\\r$i\"; done; echo\r", "stty -a\r", "printf '\\e[6n'\r"}},
		{"nvim-windows", 120, 40, "nvim --clean -O hello.go script.py notes.md", []string{":set number cursorline list\r", "\x17w", "gg=G", ":sp\r", ":tabnew\r", ":tabp\r", ":set background=light\r", ":colorscheme default\r", ":checkhealth\r", "\x04", ":only\r"}},
		{"nvim-float", 80, 24, "nvim --clean hello.go", []string{":lua vim.api.nvim_open_win(0,true,{relative='editor',row=3,col=10,width=40,height=10,border='rounded'})\r", "G", ":lua vim.notify('hello 漢字')\r", ":q\r", "ifo\x18\x0c", esc, "q/", esc, ":set termguicolors\r", ":hi Normal guibg=#202040\r"}},
		{"vim-popup", 80, 24, "vim hello.go", []string{":call popup_create(['one','漢字','three'],#{line:5,col:10,border:[],padding:[0,1,0,1]})\r", "jj", ":call popup_clear()\r", ":set laststatus=2 statusline=%f%=%l/%L\r", ":e notes.md\r", ":set wrap linebreak showbreak=>>\\ \r", ":vsp long.txt\r", ":windo set scrollbind\r", "\x04", ":qa!\r"}},
		{"vim-help", 100, 30, "vim -c help", []string{"/tutor\r", "\x1d", "\x0f", "\x06", "\x02", ":only\r", ":set hlsearch nu rnu\r", "10j", "zM", "ZZ"}},
		{"emacs-org", 90, 28, "emacs -nw -Q todo.org", []string{"* One\r** TODO Two 漢字\r*** Three\r- [ ] item\r| a | b |\r|-\r| 1 | 2 |", "\t", "\x1b<", "\t", "\x1b[Z", "\x1bxorg-agenda\r", "\x07", "\x18\x02", "\x0e\x0e", "\x18o", "\x18k\r"}},
		{"emacs-help", 80, 24, "emacs -nw -Q", []string{"\x08b", "\x18o", "\x16", "\x181", "\x08m", "\x18o\x1b>", "\x181", "\x1bxtetris\r", "\x1bxdoctor\r", "hello\r\r"}},
		{"tmux-copy", 90, 28, "tmux -L q new-session", []string{"cat hello.go; ls -l --color\r", "\x02[", up + up + up, "\x00", up + up, "\x1bw", "\x02]", "\x02=", "q", "\x02\"", "\x02\x1b1", "\x02q", "\x02x", "y", "\x02d"}},
		{"tmux-status", 100, 30, "tmux -L v new-session", []string{"tmux set -g status-position top\r", "tmux set -g status-style bg=colour24,fg=white,bold\r", "tmux set -g status-right '#[fg=red,bg=#112233] 漢字 #H '\r", "\x02c", "\x02,", "name\r", "\x02s", "q", "\x02:splitw -h htop\r", "\x02:set -g mouse on\r"}},
		{"screen-regions", 80, 24, "screen", []string{"\x01S", "\x01|", "\x01\t\x01c", "seq 60\r", "\x01[", "kkk", esc, "\x01:resize 5\r", "\x01Q", "\x01w", "\x01i"}},
		{"docker-help", 100, 30, "docker --help; docker run --help | head -60", []string{""}},
		{"cscope", 80, 24, "cscope -R -q hello.go", []string{"main\r", tab, "\x04"}},
		{"openssl", 80, 24, "openssl genrsa 2048 2>&1 | head -3; openssl speed -seconds 1 -bytes 16 sha1 2>&1 | head -20", []string{"", "", "", ""}},
	}
}

// exampleDir is where distributions put the demonstrations of ncurses.
const exampleDir = "/usr/libexec/ncurses-examples/"

// examples are demonstrations of ncurses that do the same each time.
func examples() []scene {
	var list []scene
	add := func(name string, steps ...string) {
		list = append(list, scene{"ncurses-" + name, 80, 24, exampleDir + name, steps})
	}
	add("ncurses", "a", " ", "q", "b", " ", " ", "q", "c", "0", "q", "f", " ", " ", "q", "g", "q", "m", "q", "s", "q", "q")
	add("newdemo", " ", " ", " ", " ", " ", " ")
	add("testcurs", enter, " ", " ", " ", "5", "abc\r", " ")
	add("demo_forms", "name", down, "text 漢", tab, "\x0e", "\x05")
	add("demo_menus", down, enter, right, down, down, enter)
	add("demo_panels", " ", " ", " ", " ", " ", " ")
	add("cardfile", "me", down, "text", "\x0e")
	add("combine", " ", " ", "n", "c")
	add("color_set", " ")
	add("foldkeys", "a", "\x1bOA", "q")
	add("inserts", "abc", "def")
	add("insdelln", "i", "i", "d", "I", "D", "f")
	add("inch_wide", "n", " ")
	add("lrtest", "a", " ")
	add("movewindow", "c", "jjjj", enter, "kkk", enter, "q")
	add("padview", down, right, "q")
	add("redraw", "a", "b", "c", "w", "l")
	add("savescreen", "a", " ", "q")
	add("test_add_wchstr", "w", " ", "漢", "?")
	add("test_addchstr", "w", "abc", "?")
	add("test_addwstr", "abc", "漢字", "\t", "w", "?")
	add("test_get_wstr", "abc漢\r", "def\r")
	add("test_vid_puts", "")
	add("view", "q")
	add("xmas", " ", "", "")
	add("tclock", "")
	add("hanoi", "", "")
	add("knight", "h", "j", "r", "a")
	add("gdc", "", "")
	list = append(list,
		scene{"ncurses-view-long", 60, 20, exampleDir + "view long.txt", []string{"\x1b[B", "n", "n", "d", right, "100g", "s"}},
		scene{"ncurses-hanoi-fast", 80, 24, exampleDir + "hanoi 5 x", []string{"", "", ""}},
		scene{"ncurses-railroad", 80, 24, exampleDir + "railroad 'hello 漢'", []string{"", ""}},
	)
	return list
}

// more of vttest: double sizes, keyboards, reports, VT52, resets, and what later
// terminals added.
func terminalTests() []scene {
	list := []scene{
		{"vttest-double", 80, 24, "vttest", []string{"4\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r", "\r"}},
		{"vttest-reports", 80, 24, "vttest", []string{"6\r", "1\r", "\r", "2\r", "\r", "3\r", "\r", "4\r", "\r", "5\r", "\r", "7\r", "\r", "0\r"}},
		{"vttest-bugs", 80, 24, "vttest", []string{"9\r", "1\r", "\r", "2\r", "\r", "\r", "3\r", "\r", "4\r", "\r", "5\r", "\r", "6\r", "\r", "8\r", "\r", "9\r", "\r"}},
		{"vttest-reset", 80, 24, "vttest", []string{"10\r", "1\r", "\r", "\r", "2\r", "\r", "3\r", "\r"}},
		{"vttest-vt220", 80, 24, "vttest", []string{"11\r", "1\r", "2\r", "2\r", "\r", "\r", "3\r", "\r", "4\r", "\r", "0\r", "3\r", "1\r", "\r", "2\r", "\r"}},
		{"vttest-vt320", 80, 24, "vttest", []string{"11\r", "2\r", "2\r", "2\r", "\r", "3\r", "\r", "4\r", "\r", "5\r", "\r", "6\r", "\r", "7\r", "\r", "8\r", "\r"}},
		{"vttest-xterm", 80, 24, "vttest", []string{"11\r", "8\r", "2\r", "\r", "7\r", "1\r", "\r", "2\r", "\r"}},
		{"vttest-wide", 132, 43, "vttest", []string{"1\r", "\r", "\r", "\r", "\r", "0\r", "2\r", "\r", "\r", "\r", "\r"}},
	}
	return list
}
