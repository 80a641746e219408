package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBackgroundCommandsBecomeJobs(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		flagged bool
		want    detached
	}{
		"flag":                    {"npm run dev", true, detached{script: "npm run dev", waits: true}},
		"flag and &":              {"npm run dev &", true, detached{script: "npm run dev", waits: true}},
		"flag, any script":        {"for i in 1 2; do echo $i; done", true, detached{script: "for i in 1 2; do echo $i; done", waits: true}},
		"flag, & in the middle":   {"a & b", true, detached{script: "a & b", waits: true}},
		"&":                       {"npm run dev &", false, detached{script: "npm run dev"}},
		"& without space":         {"npm run dev&", false, detached{script: "npm run dev"}},
		"nohup":                   {"nohup npm run dev > dev.log 2>&1 &", false, detached{script: "npm run dev > dev.log 2>&1"}},
		"setsid nohup":            {"setsid nohup ./server &", false, detached{script: "./server"}},
		"nohup after cd":          {"cd web && nohup npm run dev &> /tmp/log &", false, detached{script: "cd web && npm run dev &> /tmp/log"}},
		"foreground part before":  {"make build; ./server --port 3000 &", false, detached{before: "make build; ", script: "./server --port 3000"}},
		"lines before":            {"cd web\nnpm run dev &", false, detached{before: "cd web\n", script: "npm run dev"}},
		"process ID printed":      {`./server & echo "PID: $!"`, false, detached{script: "./server"}},
		"disown":                  {"./server >/dev/null 2>&1 </dev/null & disown", false, detached{script: "./server"}},
		"part of the output":      {"./server 2>/dev/null &", false, detached{script: "./server 2>/dev/null"}},
		"foreground part after":   {"./server & sleep 2; curl localhost:3000", false, detached{script: "./server", after: "sleep 2; curl localhost:3000"}},
		"lines after":             {"./server &\nsleep 2\ncurl localhost", false, detached{script: "./server", after: "sleep 2\ncurl localhost"}},
		"operators in quotes":     {`sh -c 'a & b; c' &`, false, detached{script: "sh -c 'a & b; c'"}},
		"assignment":              {`PORT=3000 nohup npm run dev &`, false, detached{script: "PORT=3000 npm run dev"}},
		"exported variable":       {"export PORT=3000; npm run dev &", false, detached{before: "export PORT=3000; ", script: "npm run dev"}},
		"source in the job":       {"source venv/bin/activate && ./server &", false, detached{script: "source venv/bin/activate && ./server"}},
		"variable of one command": {"CI=1 make build; ./server &", false, detached{before: "CI=1 make build; ", script: "./server"}},
		"variable of the command": {`env PORT=3000 npm run dev &`, false, detached{script: "env PORT=3000 npm run dev"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := detach(c.command, c.flagged)
			if !ok {
				t.Fatalf("%q is left alone", c.command)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(detached{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOtherCommandsAreLeftAlone(t *testing.T) {
	for name, command := range map[string]string{
		"foreground":              "npm test",
		"nohup in the foreground": "nohup npm test",
		"and":                     "a && b",
		"redirection":             "make > log 2>&1",
		"both streams":            "make &> log",
		"quoted":                  "echo 'a &'",
		"escaped":                 `echo a \&`,
		"two":                     "a & b &",
		"waited for":              "a & b; wait",
		"killed later":            "./server & PID=$!; curl localhost; kill $PID",
		"process ID in a file":    "./server & echo $! > server.pid",
		"shell's job":             "./server & sleep 1; kill %1",
		"subshell":                "(./server &)",
		"substitution":            "echo $(server &)",
		"group":                   "{ ./server; } &",
		"loop":                    "for i in 1 2 3; do ./worker $i & done",
		"loop in the background":  "while true; do date; done &",
		"shell variable":          "PORT=3000; ./server $PORT &",
		"assignments":             "A=1 PORT=3000; ./server $PORT &",
		"array element":           "A[0]=1; ./server ${A[0]} &",
		"assignment, redirected":  "A=1 > log; ./server $A &",
		"default assigned":        ": ${PORT:=3000}; ./server $PORT &",
		"declare":                 "declare PORT=3000; ./server $PORT &",
		"typeset after cd":        "cd web && typeset -i PORT=3000; ./server $PORT &",
		"read":                    "read PORT < port; ./server $PORT &",
		"read with a prefix":      "IFS=, read A B < port; ./server $B &",
		"quoted builtin":          "\\read PORT < port; ./server $PORT &",
		"redirection first":       "< port read PORT; ./server $PORT &",
		"printf -v":               "printf -v PORT %d 3000; ./server $PORT &",
		"let":                     "let PORT=3000; ./server $PORT &",
		"exported function":       "export -f serve; serve &",
		"alias":                   "alias serve=./server\nserve &",
		"shopt":                   "shopt -s globstar; ./server **/*.go &",
		"set":                     "set -e; ./server &",
		"exec":                    "exec > log 2>&1; ./server &",
		"trap":                    "trap '' HUP; ./server &",
		"source":                  "source .env; ./server $PORT &",
		"dot":                     ". ./.env; ./server $PORT &",
		"umask":                   "umask 077; ./server &",
		"builtin":                 "builtin read PORT < port; ./server $PORT &",
		"exit status":             "make; ./report $? &",
		"shell's process ID":      "./server --parent $$ &",
		"here document":           "cat <<EOF &\nx\nEOF",
		"comment":                 "make # a &",
		"hob":                     "hob run -b make &",
		"hob after cd":            "cd x && hob run make &",
		"options of nohup":        "nohup --version &",
		"only &":                  "&",
		"empty":                   "",
		"open quote":              "echo 'a &",
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := detach(command, false); ok {
				t.Errorf("%q becomes %+v", command, got)
			}
		})
	}
	for _, command := range []string{"hob run make", "/usr/bin/hob log x", " ", ""} {
		if got, ok := detach(command, true); ok {
			t.Errorf("%q in the background becomes %+v", command, got)
		}
	}
}

func FuzzDetach(f *testing.F) {
	for _, seed := range []string{"a & b", "nohup a &", `a "b $(c) 'd`, "a;b\nc &", "'", `\`, "&&&"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, command string, flagged bool) {
		if got, ok := detach(command, flagged); ok && got.script == "" {
			t.Errorf("%q becomes an empty job", command)
		}
	})
}
