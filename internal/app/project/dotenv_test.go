package project

import (
	"regexp"
	"strings"
	"testing"
)

// readEnv reads text as the file .env, and returns the variables and the notes, one on each line.
func readEnv(text string) (env map[string]string, noted string) {
	p := &parser{plan: &Plan{}}
	env = p.dotenvText(".env", text)
	return env, notes(p.plan)
}

func TestDotenv(t *testing.T) {
	const key = "-----BEGIN K-----\nAAAA\nBBBB+/c==\nQUJD==\n-----END K-----"
	for _, test := range []struct {
		name, text string
		env        map[string]string
		notes      string
	}{
		{"double quotes over lines", "KEY=\"" + key + "\"\nB=2\n", map[string]string{"KEY": key, "B": "2"}, ""},
		{"single quotes over lines", "KEY='" + key + "' # the key\nB=2\n", map[string]string{"KEY": key, "B": "2"}, ""},
		{"backquotes over lines", "KEY=`" + key + "`\nB=2\n", map[string]string{"KEY": key, "B": "2"}, ""},
		{"CR and LF", "A=\"1\r\n2\"\r\nB=2\r\n", map[string]string{"A": "1\n2", "B": "2"}, ""},
		{"a mark in a value", `A="say \"x\" \\" # c` + "\nB='it\"s'\n", map[string]string{"A": `say "x" \`, "B": `it"s`}, ""},
		{"escapes", `A="1\n2\$\t"` + "\n" + `B='1\n'`, map[string]string{"A": "1\n2$\\t", "B": `1\n`}, ""},
		{"no closing mark", "B=2\nKEY=\"" + key + "\nC=3\n", map[string]string{"B": "2"}, `.env:2: the closing " is missing; the rest of the file is not read`},
		{"only the escaped mark", `KEY="a\"` + "\nC=3", map[string]string{}, `.env:1: the closing " is missing; the rest of the file is not read`},
		{"text behind the mark", "A=\"{\"b\":1}\"\nB=2\n", map[string]string{"B": "2"}, `.env:1: text follows the closing "`},
		{
			"text behind a mark in a later line", "A='1\nSECRET=' x'\nB=2\n", map[string]string{},
			`.env:1: text follows the closing '; the rest of the file is not read`,
		},
		{"three marks", "B=2\nA=\"\"\"SECRET\nSECRET=1\n\"\"\"\nC=3\n", map[string]string{"B": "2"}, `.env:2: text follows the closing "; the rest of the file is not read`},
		{"another value behind the mark", "A='x' B='y\nSECRET=1'\nC=3\n", map[string]string{}, `.env:1: text follows the closing '; the rest of the file is not read`},
		{"a mark in quotes of the shell", "A='it''s\nSECRET=1'\n", map[string]string{}, `.env:1: text follows the closing '; the rest of the file is not read`},
		{"a key without marks", "B=2\n" + key + "\nC=3\n", map[string]string{"B": "2"}, ".env:2: " + notVariable + notRead},
		{"a value wrapped without marks", "A=AAAA\nBBBB+/c=\nQUJD=\n", map[string]string{"A": "AAAA"}, ".env:2: " + notVariable + notRead},
		{"padding", "A=AAAA\nQUJDRA==\nC=3\n", map[string]string{"A": "AAAA"}, ".env:2: " + notVariable + notRead},
		{"comments", "A=1 # one\nB='2'\t# two\n#C=3\nD=a#b\n", map[string]string{"A": "1", "B": "2", "D": "a#b"}, ""},
		{"export", "export A=1\nexport\tB=2\nexport=3\n", map[string]string{"A": "1", "B": "2", "export": "3"}, ""},
		{"spaces", "  A = 1 \n\tB\t=\t' 2 '\n", map[string]string{"A": "1", "B": " 2 "}, ""},
		{"no value", "A=\nB=\"\"\nC=''\n", map[string]string{"A": "", "B": "", "C": ""}, ""},
		{
			"names", "1A=1\nA-B=1\nA.B=1\nÄ=1\n=1\nA B=1\n_a1=1\n", map[string]string{"_a1": "1"},
			strings.Join([]string{
				".env:1: " + notVariable, ".env:2: " + notVariable, ".env:3: " + notVariable, ".env:4: " + notVariable,
				".env:5: " + notVariable, ".env:6: " + notVariable,
			}, "\n"),
		},
		{
			"a quoted value without a name", "my key=\"" + key + "\"\nB=2\n", map[string]string{"B": "2"}, ".env:1: " + notVariable,
		},
		{"NUL", "A=1\x002\nB=\"1\x002\"\nC=3", map[string]string{"C": "3"}, ".env:1: the value contains a NUL byte\n.env:2: the value contains a NUL byte"},
		{"byte order mark", "\ufeffA=1", map[string]string{"A": "1"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			env, noted := readEnv(test.text)
			equal(t, "variables", env, test.env)
			equal(t, "notes", noted, test.notes)
		})
	}
}

// Every format has variables of its own, and none of them takes a name that a shell could not have.
func TestNamesOfVariables(t *testing.T) {
	for _, test := range []struct{ file, content, want string }{
		{
			"process-compose.yaml", "environment: [\"A-B=1\", \"C=1\"]\nprocesses:\n  a:\n    command: x\n    environment:\n      D.E: 2\n      F: 3\n",
			"process-compose.yaml:1: environment: " + notVariable + "\nprocess-compose.yaml:6: processes.a.environment: " + notVariable,
		},
		{"mprocs.yaml", "procs:\n  a:\n    shell: x\n    env:\n      D-E: null\n      C: 1\n      F: 3\n", "mprocs.yaml:5: procs.a.env: " + notVariable},
		{
			"tasks.json", "{\"tasks\": [{\"label\": \"a\", \"command\": \"x\",\n\"options\": {\"env\": {\"9\": \"1\", \"C\": \"1\", \"F\": \"3\"}}}]}",
			"tasks.json:2: tasks[0].options.env: " + notVariable,
		},
	} {
		t.Run(test.file, func(t *testing.T) {
			p := load(t, write(t, test.file, test.content))
			a := process(t, p, "a")
			equal(t, "variables", a.Env, map[string]string{"C": "1", "F": "3"})
			equal(t, "removed", len(a.Unset), 0)
			equal(t, "notes", notes(p), test.want)
		})
	}
}

// An env_file and .env are read in the same way by each format that has them.
func TestEnvFiles(t *testing.T) {
	const secret = "KEY=\"one\nTWO=2\nthree\"\nB=1\n"
	want := map[string]string{"KEY": "one\nTWO=2\nthree", "B": "1"}
	procfile := load(t, write(t, "Procfile", "a: x\n", ".env", secret+"PORT=5000\n"))
	equal(t, "Procfile", process(t, procfile, "a").Env, map[string]string{"KEY": want["KEY"], "B": "1", "PORT": "5000"})
	compose := load(t, write(t, "process-compose.yaml", "processes: {a: {command: x, env_file: own}, b: {command: x}}\n", "own", secret, ".env", "C=1\n"))
	equal(t, "env_file", process(t, compose, "a").Env, map[string]string{"KEY": want["KEY"], "B": "1", "C": "1"})
	compose = load(t, write(t, "process-compose.yaml", "processes: {b: {command: x}}\n", ".env", secret))
	equal(t, ".env", process(t, compose, "b").Env, want)
}

// Whatever a file contains, names are names, and a quoted value gives no further ones.
func FuzzDotenv(f *testing.F) {
	f.Add("A=1\nB=\"2\n3\" # x\n", "----\nAAAA=\n")
	f.Add("export A='\n=\n'", "\"'`\\")
	valid := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	f.Fuzz(func(t *testing.T, text, value string) {
		env, _ := readEnv(text)
		for name, value := range env {
			if !valid.MatchString(name) || strings.ContainsRune(value, 0) {
				t.Errorf("%q=%q", name, value)
			}
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
		env, noted := readEnv("KEY=" + quoted + "\nB=2\n")
		want := map[string]string{"KEY": strings.ReplaceAll(value, "\r\n", "\n"), "B": "2"}
		if strings.ContainsRune(value, 0) {
			delete(want, "KEY")
		} else if noted != "" {
			t.Errorf("%q: %s", quoted, noted)
		}
		equal(t, "variables", env, want)
	})
}
