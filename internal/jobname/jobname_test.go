package jobname

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	for script, want := range map[string]string{
		"npm run dev":                                      "npm run dev",
		"go test ./...":                                    "go test ./...",
		"go test -race -count=1 ./...":                     "go test ./...",
		"cd /srv/app && npm run dev":                       "npm run dev",
		"cd a; cd b; make":                                 "make",
		"FOO=1 BAR='a b' make test":                        "make test",
		"sudo -u www nginx -g daemon":                      "sudo -u www nginx",
		"sudo -- systemctl restart x":                      "sudo systemctl restart",
		"env -i A=b PATH=/bin python3 app.py":              "env -i A=b PATH=/bin",
		"time nice -n 5 nohup ./build.sh all":              "nice nohup ./build.sh",
		"npx --yes vite build":                             "npx --yes vite build",
		"npx -p typescript tsc":                            "npx -p typescript tsc",
		"npx vite build --port 3":                          "vite build",
		"vite --host 0.0.0.0 preview":                      "vite preview",
		"make -j 8 all":                                    "make all",
		"tail --lines=5 .. x":                              "tail .. x",
		"find . -newer .. x":                               "find . -newer ..",
		"docker run --name db postgres":                    "docker run --name db",
		"timeout -k 1 60 curl http://x":                    "timeout 60 curl",
		"sh -c 'cd x && npm start'":                        "npm start",
		`bash -lc "exec python -m http.server 8000"`:       "python -m http.server 8000",
		"/usr/local/bin/tool serve":                        "tool serve",
		"docker compose up -d web":                         "docker compose up",
		`echo "hello world"`:                               "echo hello world",
		"grep foo file | wc -l":                            "grep foo file",
		"cat <in >out":                                     "cat",
		"make 2>&1 | tee log":                              "make",
		"exec >log 2>&1; npm start":                        "npm start",
		"vim -u NONE README.md":                            "vim -u NONE README.md",
		"i=0; while :; do i=$((i+1)); echo line $i; done":  "while :; do i=$((i+1)); echo line $i; done",
		"now=$(date +%s); make all":                        "now=$(date +%s); make all",
		`f="a b"; n=$(wc -l <"$f"); (cd x; make $(nproc))`: "n=$(wc -l <\"$f\"); (cd x; make $(nproc))",
		"echo $(unfinished":                                "echo $(unfinished",
		"less -R LICENSE":                                  "less -R LICENSE",
		"go test -run TestX -v ./ui":                       "go test -run TestX",
		"git -C /srv/app pull":                             "git -C /srv/app pull",
		"docker run -it -p 8080:80 -e A=b nginx":           "docker run -e A=b",
		"ssh -i key -L 5432:db:5432 web1":                  "ssh -i key web1",
		"cp -r a b":                                        "cp -r a b",
		"docker run --rm ubuntu bash":                      "docker run --rm ubuntu",
		"python -m http.server":                            "python -m http.server",
		"some-tool -l DEBUG serve":                         "some-tool -l DEBUG serve",
		"some-tool --every 30s serve":                      "some-tool serve",
		"make CC test":                                     "make CC test",
		"for i in 1 2 3; do curl x; sleep 1; done":         "for i in 1 2 3; do curl x; sleep 1; done",
		"for ((i = 0; i < 3; i++)); do make; done":         "for ((i = 0; i < 3; i++)); do make; done",
		"while true; do date; sleep 5; done":               "while true; do date; sleep 5; done",
		"while sleep 1; do :; done":                        "while sleep 1; do :; done",
		"until nc -z db 1; do sleep 1; done; npm ci":       "until nc -z db 1; do sleep 1; done; npm ci",
		"if [ -f x ]; then make x; else make y; fi":        "if [ -f x ]; then make x; else make y; fi",
		"if ! grep -q a b; then\n  echo no\nfi":            "if ! grep -q a b; then",
		"case $1 in a|b) make a ;; *) ls ;; esac":          "case $1 in a|b) make a ;; *) ls ;; esac",
		"f() { make; }; f":                                 "f() { make; }; f",
		"{ make; } 2>/dev/null":                            "{ make; } 2>/dev/null",
		"[ -d x ] || mkdir x":                              "mkdir x",
		"sleep 100; echo done":                             "sleep 100",
		"for i in 1 2; do sleep 9 & echo $!; done":         "for i in 1 2; do sleep 9 & echo $!; done",
		"echo $$; exec npm run dev":                        "echo $$",
		"echo $!":                                          "echo $!",
		"for i in a b":                                     "for i in a b",
		"\n\n  # a comment\n  make  # build\n":             "make",
		"export A=1; set -e\nmake":                         "make",
		"cd /tmp":                                          "cd /tmp",
		"sudo":                                             "sudo",
		"A=1":                                              "A=1",
		"# only words":                                     "# only words",
		"(make; true)":                                     "(make; true)",
		"":                                                 "job",
		"   \n\t ":                                         "job",
		"echo 'it is":                                      "echo it is",
		"make \\\n  test":                                  "make test",
		`grep "\d\.\$" 'a\b'`:                              `grep \d\.$ a\b`,
		`grep a\d`:                                         "grep ad",
		"echo \"a\\\nb\"":                                  "echo ab",
		"printf '\x1b[31mred\x07'":                         "printf [31mred",
		"make 👨‍👩‍👧 x":                                     "make 👨‍👩‍👧 x",
		"日本語 テスト":                                          "日本語 テスト",
		"cmd " + strings.Repeat("x", 100):                  "cmd " + strings.Repeat("x", 42) + "…",
		"say " + strings.Repeat("x", 38) + "👩🏽👩🏽👩🏽": "say " + strings.Repeat("x", 38) + "👩🏽…",
		strings.Repeat("語", 60):                     strings.Repeat("語", 23) + "…",
	} {
		if got := Of(nil, script); got != want {
			t.Errorf("Of(%q) = %q, want %q", script, got, want)
		}
	}
}

func TestNameOfArgumentVector(t *testing.T) {
	for want, command := range map[string][]string{
		"npm run dev": {"npm", "run", "dev"},
		"make && x":   {"make", "&&", "x"}, // no shell is involved
		"npm start":   {"sh", "-c", "cd x && npm start"},
		"ssh -v host": {"sudo", "ssh", "-v", "host"},
		"if x":        {"if", "x"}, // a program, since no shell is involved
		"a b":         {"a b"},
		"rm -rf /":    {"/bin/rm", "-rf", "/"},
		"job":         {""},
	} {
		if got := Of(command, ""); got != want {
			t.Errorf("Of(%q) = %q, want %q", command, got, want)
		}
	}
}

// Only a bounded part of a command is examined.
func TestNameOfHostileCommands(t *testing.T) {
	const large = 10 << 20
	for name, script := range map[string]string{
		"unterminated quotes": strings.Repeat(`"'`, large/2),
		"one open quote":      `echo "` + strings.Repeat("a ", large/2),
		"backslashes":         strings.Repeat(`\`, large),
		"nested shells":       strings.Repeat("sh -c '", large/7),
		"operators":           strings.Repeat("&&", large/2),
		"assignments":         strings.Repeat("A=1 ", large/4),
		"wrappers":            strings.Repeat("env ", large/4),
		"one word":            strings.Repeat("x", large),
		"newlines":            strings.Repeat("\n", large),
		"zero width":          strings.Repeat("\u200b\u0301", large/5),
	} {
		t.Run(name, func(t *testing.T) { checkName(t, script[:20], Of(nil, script)) })
	}
}

func FuzzName(f *testing.F) {
	f.Add("cd x && FOO=1 sudo -u a sh -c 'npm run dev'")
	f.Add("env")
	f.Add("\xff\"")
	f.Fuzz(func(t *testing.T, script string) {
		checkName(t, script, Of(nil, script))
		checkName(t, script, Of(strings.Fields(script), ""))
		checkName(t, script, Of([]string{script}, ""))
	})
}

func checkName(t *testing.T, of, name string) {
	t.Helper()
	width := 0
	for _, r := range name {
		if string(r) == joiner {
			continue
		}
		if !unicode.IsPrint(r) {
			t.Errorf("name %q of %q has a character that does not print", name, of)
		}
		if width++; r >= 0x1100 {
			width++
		}
	}
	if name == "" || width > maxName || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		t.Errorf("name %q of %q, %d wide", name, of, width)
	}
}
