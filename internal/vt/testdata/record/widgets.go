package main

// dialogs are the widgets of dialog and whiptail.
func dialogs() []scene {
	var list []scene
	for _, program := range []string{"dialog", "whiptail"} {
		add := func(name, args string, steps ...string) {
			list = append(list, scene{program + "-" + name, 80, 24, program + " " + args, steps})
		}
		add("menu", "--title Title --menu 'choose one' 15 50 6 a Apple b Banana c 漢字 d Date e Elder f Fig g Grape", down, down, tab, enter)
		add("checklist", "--checklist 'choose some' 15 50 6 a Apple on b Banana off c Cherry off", " ", down, " ", tab)
		add("radiolist", "--radiolist 'choose one' 15 50 6 a Apple on b Banana off c Cherry off", down, " ", tab)
		add("input", "--inputbox 'your name' 10 40 début", "abc", "\x7f", tab)
		add("password", "--passwordbox 'secret' 10 40", "abc", tab)
		add("yesno", "--yesno 'really do it? ü 漢字' 10 40", right, left)
		add("text", "--scrolltext --textbox long.txt 20 70", down, pageDown, pageDown, "\x1b[F")
		add("gauge", "--gauge 'working' 8 50 30 < /dev/null", "")
	}
	add := func(name, args string, steps ...string) {
		list = append(list, scene{"dialog-" + name, 80, 24, "dialog " + args, steps})
	}
	add("calendar", "--calendar 'a day' 5 40 15 6 2020", down, right, tab, tab)
	add("form", "--form 'fill in' 15 50 4 Name: 1 1 '' 1 10 20 0 Mail: 2 1 '' 2 10 20 0", "me", down, "x@y", tab)
	add("time", "--timebox 'when' 5 40 10 20 30", up, tab, up)
	add("tree", "--treeview 'a tree' 15 50 8 a one off 0 b two off 1 c three on 1 d four off 2", down, down, tab)
	add("build", "--buildlist 'build' 15 60 6 a one off b two on c three off", " ", tab, down)
	add("mixed", "--mixedgauge 'many' 18 60 40 first 0 second 2 third -30 fourth -80", "")
	return list
}

// scripts print what programs print that we cannot run here, and what is rare.
func scripts() []scene {
	sh := func(name, body string, steps ...string) scene {
		return scene{name, 80, 24, "bash -c \"$(cat <<'END'\n" + body + "\nEND\n)\"", append(steps, "")}
	}
	py := func(name, body string, steps ...string) scene {
		return scene{name, 80, 24, "python3 -c \"$(cat <<'END'\n" + body + "\nEND\n)\"", append(steps, "")}
	}
	return []scene{
		sh("progress-bar", `for i in $(seq 0 5 100); do printf '\r\033[K[%-50s] %3d%%' "$(printf '%*s' $((i/2)) '' | tr ' ' '#')" $i; done; echo; echo done`),
		sh("progress-cargo", `for i in $(seq 1 40); do printf '\033[1m\033[32m   Compiling\033[0m crate-%d v0.1.%d\n\033[1m\033[36m    Building\033[0m [%-25s] %d/40\r' $i $i "$(printf '%*s' $((i*25/40)) '' | tr ' ' '=')>" $i; done; printf '\033[K\033[1m\033[32m    Finished\033[0m dev\n'`),
		sh("progress-docker", `for l in a1 b2 c3 d4 e5; do echo "$l: Pulling"; done; for i in 10 40 70 100; do printf '\033[5A'; for l in a1 b2 c3 d4 e5; do printf '\033[2K\r%s: Downloading [%-20s] %d%%\n' $l "$(printf '%*s' $((i/5)) '' | tr ' ' '=')>" $i; done; done; echo Done`),
		sh("progress-apt", `printf '\0337\033[0;23r\0338\033[1A'; for i in $(seq 1 60); do echo "Unpacking package-$i ..."; printf '\0337\033[24;0f\033[42m\033[30mProgress: [%3d%%]\033[49m\033[39m [%-40s] \0338' $((i*100/60)) "$(printf '%*s' $((i*40/60)) '' | tr ' ' '#')"; done; printf '\0337\033[0;24r\0338\033[1A\033[J'; echo finished`),
		sh("progress-pip", `for i in $(seq 0 2 60); do printf '\r\033[2K     \033[38;2;114;156;31m%s\033[0m\033[38;5;237m%s\033[0m \033[32m%d/60 kB\033[0m' "$(printf '%*s' $((i/2)) '' | sed 's/ /━/g')" "$(printf '%*s' $((30-i/2)) '' | sed 's/ /━/g')" $i; done; echo`),
		sh("spinner", `for k in 1 2 3 4; do for c in ⠋ ⠙ ⠹ ⠸ ⠼ ⠴ ⠦ ⠧ ⠇ ⠏; do printf '\r\033[36m%s\033[0m working %s' "$c" $k; done; done; printf '\r\033[32m✔\033[0m done   \n'`),
		sh("colours", `for i in $(seq 0 255); do printf '\033[48;5;%dm%4d\033[0m' $i $i; done; echo; for r in 0 64 128 192 255; do for g in 0 80 160 240; do printf '\033[48;2;%d;%d;128m  \033[38:2::%d:%d:9mxy\033[0m' $r $g $g $r; done; echo; done`),
		sh("attributes", `for a in 1 2 3 4 5 7 8 9 21 53 4:1 4:2 4:3 4:4 4:5; do printf '\033[%smattribute %s\033[0m ' $a $a; done; echo; for a in 1 2 3 4 5 7 8 9; do printf '\033[1;2;3;4;5;7;9m all but \033[2%dm%d\033[m ' $a $a; done; echo; for a in 30 31 37 90 97 39; do for b in 40 44 47 100 107 49; do printf '\033[%s;%smx\033[m' $a $b; done; done; echo`),
		sh("wide", `echo '漢字とカタカナ｡ｱｲｳ 한국어 ﾊﾝｶｸ'; echo 'e\u0301 é a\u0308\u0323'; printf '%79s漢|\n' x; printf '%80s漢|\n' x; printf '\033[10;79H漢字\033[12;80H漢字\033[14;10H漢字\033[14;11Hx\033[15;10H漢字\033[15;12Hy\033[16;10H漢字漢字\033[16;11H\033[K\033[17;10H漢字漢字\033[17;13H\033[1K\033[18;10H漢字漢字\033[18;11H\033[2P\033[19;10H漢字漢字\033[19;11H\033[3@\033[20;10H漢字漢字\033[20;13H\033[3X\033[1;1H'`),
		py("combining", `print("e\u0301 a\u0308\u0323 \u0e01\u0e34 \u0915\u093f \u05d0\u05b8 x\u200dy n\u0303o"); print("|e\u0301|", "|\u0301|", "A\u030a\u0301|"); print("\u0301start"); print("k" * 79 + "e\u0301" + "\u0302next")`),
		sh("insert-delete", `for i in $(seq 1 20); do echo "line $i abcdefghijklmnopqrstuvwxyz"; done; printf '\033[5;5H\033[3@\033[6;5H\033[3P\033[7;5H\033[3X\033[8H\033[2L\033[12H\033[2M\033[15;5H\033[4hINS\033[4l\033[16;5H\033[K\033[17;5H\033[1K\033[18;5H\033[2K\033[1;1H'`),
		sh("scroll-regions", `for i in $(seq 1 23); do echo "line $i"; done; printf '\033[5;10r\033[10;1H\n\n\nx\033[5;1H\033M\033My\033[3S\033[2T\033[r\033[24;1Hend\n\n'`),
		sh("scroll-region-top", `for i in $(seq 1 23); do echo "line $i"; done; printf '\033[1;10r\033[10;1H\n\n\nx\033[1;1H\033M\033My\033[7;1H\033[2L\033[9;1H\033[M\033[r\033[20;1Hend'`),
		sh("origin-mode", `printf '\033[2J\033[5;15r\033[?6h\033[1;1Htop\033[20;1Hbottom\033[3;7Hmid\033[99A^\033[99Bv\033[?6l\033[1;1Hreal top\033[r'`),
		sh("tabs", `printf 'a\tb\tc\td\n\033[3g\033[5G\033H\033[20G\033H\033[1Ga\tb\tc\td\n\033[5Ga\033[Zb\033[Z\033[Zc\033[2Id\n'`),
		sh("line-drawing", `printf '\033(0lqqqqk\n\033(Bx  \033(0x`+"`"+`afghijklmnopqrstuvwxyz{|}~\033(B normal \033)0\016lqk\017lqk\n\033*0\033nlqk\033(B\017'`),
		sh("wrap", `printf 'x%.0s' $(seq 1 80); printf '\b\bAB'; printf '\r\nx%.0s' $(seq 1 3); printf '\033[?7l%.0s' 1; printf 'y%.0s' $(seq 1 100); printf '\033[?7h\r\n'; printf 'z%.0s' $(seq 1 80); printf '\rR\n'; printf 'w%.0s' $(seq 1 80); printf '\033[K!\n'; printf 'v%.0s' $(seq 1 80); printf '\n\033[A\033[10Du'`),
		sh("repeat", `printf 'ab\033[10bc\n漢\033[5b\n\033[31m-\033[20b\033[m|\n=\033[200b\n'`),
		sh("save-restore", `printf '\033[5;10H\033[31m\0337\033[m\033[10;20Hhere\0338there\033[s\033[12;1Hx\033[uy\033[?1048h\033[15;1Hz\033[?1048lw\033[m'`),
		sh("alternate", `echo main; printf '\033[31m\033[?1049h\033[2;5Halternate\033[?1049lback\n\033[?47hforty\033[?47lseven\033[?1047h10\033[?1047l47\033[m'`),
		sh("alternate-stays", `echo main; printf '\033[?1049h\033[2;5Halternate\033[44m\033[K\033[5;1Hx\033[J\033[m'`),
		sh("bce", `printf '\033[44m\033[2J\033[5;5Htext\033[K\033[41m\033[7;5H\033[3X\033[8;1H\033[K\033[10;1H\033[L\033[12;1H\033[M\033[14;5H\033[5@\033[15;5H\033[5P\033[24;1H\n\n\033[m'`),
		sh("erase", `for i in $(seq 1 23); do printf 'x%.0s' $(seq 1 80); done; printf '\033[5;40H\033[1K\033[7;40H\033[K\033[9;40H\033[2K\033[12;40H\033[J\033[3;40H\033[1J'`),
		sh("alignment", `printf '\033#8\033[5;5Habc\033[10;10r\033[12;1Hx'`),
		sh("reset", `printf '\033[31;44mred\033[5;10r\033[?6h\033[4h\033)0\016\033[!pafter soft\033[1;1Hq'; echo; printf 'text\033cnew'`),
		sh("controls", `printf 'a\vb\fc\033Dd\033Ee\n\033[5;5Hf\033Mg\010\010h\r>\033[3;3H\033[2E\033[Fi\033[4;4H\033[3Gj\033[6dk\033[2al\033[2em\033[5`+"`"+`n'`),
		sh("broken", `printf 'a\033[31\030b\033[1;2\032c\033]2;title\030d\033[38;5;mx\033[m\033[?;hy\033[>1;2;3zz\033[1 q\033[9999;9999Hend\033[1;1H\033P1;2|abc\033\\ok\033_apc\033\\ok\033^pm\033\\ok\033Xsos\033\\ok\303(\377\376x\033[999999999999Cq'`),
		sh("utf8-broken", `printf 'a\302b\n\343\201c\n\360\237\230d\n\300\200e\n\355\240\200f\n\364\220\200\200g\n\200\200h\n'`),
		sh("osc", `printf '\033]0;the title\007text\033]2;other\033\\more\033]8;;http://example.org\033\\link\033]8;;\033\\end\033]4;1;#ff0000\007\033]104\007\033]52;c;aGVsbG8=\007!\033]133;A\007$ \033]7;file://box/tmp\007'`),
		sh("scrolling", `for i in $(seq 1 300); do echo "$i some text that scrolls by $((i*i))"; done`),
		sh("ls-colour", `ls -l --color=always /usr/bin | head -100`),
		sh("columns", `ls --color=always -C -w 80 /usr/bin | head -60`),
		sh("clear", `seq 30; clear; echo after; tput cup 10 10; echo there; tput el1; tput ed; tput setaf 3; tput smso; echo standout; tput rmso; tput sgr0; reset -Q`),
		sh("emoji", `echo '🙂 👍 🚀 ⚡ ✅ ⭐ 🔥 x'; echo '⚠ ✔ ✗ ● ◐ → ─ █ ▒'`),
		py("curses", `import curses
def main(s):
    curses.start_color(); curses.use_default_colors(); curses.curs_set(0)
    for i in range(1, 64): curses.init_pair(i, i % 16, (i // 8) % 8)
    h, w = s.getmaxyx()
    for k in range(6):
        s.clear() if k % 2 else s.erase()
        s.border()
        for y in range(1, h - 1):
            for x in range(1, w - 1, 3):
                s.addstr(y, x, "ab"[(x * y + k) % 2], curses.color_pair((x * y + k) % 63 + 1) | (curses.A_BOLD if x % 2 else curses.A_REVERSE if y % 3 == 0 else 0))
        s.addstr(h // 2, w // 2, "漢字 é %d" % k)
        w2 = s.subwin(5, 20, 3, 5); w2.erase(); w2.box(); w2.addstr(1, 1, "sub", curses.A_UNDERLINE)
        s.refresh(); s.getch()
curses.wrapper(main)`, "a", "b", "c", "d"),
		py("curses-scroll", `import curses
def main(s):
    s.scrollok(True); s.idlok(True)
    for i in range(100): s.addstr("line %d\n" % i); s.refresh()
    s.getch()
    for i in range(10): s.scroll(-1); s.addstr(0, 0, "top %d" % i); s.refresh()
    s.getch()
    s.setscrreg(5, 15); s.move(15, 0)
    for i in range(10): s.addstr("reg %d\n" % i); s.refresh()
    s.getch(); s.move(8, 0); s.insertln(); s.deleteln(); s.insdelln(-3); s.refresh(); s.getch()
curses.wrapper(main)`, "a", "b", "c"),
	}
}
