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
	return env, notesOf(p.plan)
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
		{"text behind the mark", "B=2\nA=\"{\"b\":1}\"\nC=3\n", map[string]string{"B": "2"}, `.env:2: text follows the closing "; the rest of the file is not read`},
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
		{
			"a last line of base64", "B=" + strings.Repeat("aB3d", 16) + "\nQUJDRGVGR0g=\nC=3\n",
			map[string]string{"B": strings.Repeat("aB3d", 16)}, ".env:2: " + notVariable + notRead,
		},
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

// What a shell or another program would continue on the next lines gives no names.
func TestDotenvUncertainEnds(t *testing.T) {
	for _, test := range []struct{ name, entry, note string }{
		{"a backslash at the end", "KEY=AAAA\\\nSECRET=1", uncertainEnd + notRead},
		{"a backslash, CR and LF", "KEY=AAAA\\\r\nSECRET=1\r", uncertainEnd + notRead},
		{"a backslash after a space", "export KEY=AAAA \\\nSECRET=1", uncertainEnd + notRead},
		{"a here-document in a substitution", "KEY=$(cat <<EOF\nSECRET=1\nEOF\n)", uncertainEnd + notRead},
		{"a here-document without blanks", "KEY=$(cat<<-'EOF'\nSECRET=1\nEOF\n)", uncertainEnd + notRead},
		{"a here-document in backquotes", "KEY=x`cat <<EOF\nSECRET=1\nEOF\n`", uncertainEnd + notRead},
		{"a here-document in double quotes", "KEY=\"$(cat <<'EOF'\nSECRET=1\nEOF\n)", `the closing " is missing` + notRead},
		{"a here-document behind quotes", "KEY=\"a\" <<EOF\nSECRET=1\nEOF", `text follows the closing "` + notRead},
		{"a here-document without a value", "KEY<<EOF\nSECRET=1\nEOF", notVariable + notRead},
		{"its mark has a sign", "KEY<<=EOF\nSECRET=1\n=EOF", notVariable + notRead},
		{"read with a here-document", "read -r KEY <<'=EOF'\nSECRET=1\n=EOF", notVariable + notRead},
		{"a substitution", "KEY=$(printf\nSECRET=1\n)", uncertainEnd + notRead},
		{"an expansion", "KEY=${KEY:-AAAA\nSECRET=1\n}", uncertainEnd + notRead},
		{"an array", "KEY=(\nSECRET=1\n)", uncertainEnd + notRead},
		{"an object", "KEY={\nSECRET=1\n}", uncertainEnd + notRead},
		{"a list", "KEY=[\nSECRET=1\n]", uncertainEnd + notRead},
		{"a key without quotes", "KEY=-----BEGIN K-----\nSECRET=\n-----END K-----", uncertainEnd + notRead},
		{"quotes inside a value", "KEY=--key=\"AAAA\nSECRET=1\"", uncertainEnd + notRead},
		{"quotes in a word", "KEY=x\"AAAA\nSECRET=1\"", uncertainEnd + notRead},
		{"quotes in a word, closed on a line of their own", "KEY=x'AAAA\nSECRET=1\n' # c", uncertainEnd + notRead},
		{"quotes behind an apostrophe", "KEY=it's \"AAAA\nSECRET=1\"", uncertainEnd + notRead},
		{"typographic quotes", "KEY=“AAAA\nSECRET=1”", uncertainEnd + notRead},
		{"quotes of bash", "KEY=$'it\\'s\nSECRET=1'", uncertainEnd + notRead},
		{"quotes in a second variable", "export A=1 KEY='AAAA\nSECRET=1'", uncertainEnd + notRead},
		{"other quotes behind quotes", "export A=\"1\" KEY='AAAA\nSECRET=1'", `text follows the closing "` + notRead},
		{"an escaped single quote", "KEY='it\\'s\nSECRET=1'", `text follows the closing '` + notRead},
		{"an escaped single quote at the end", "KEY='it\\'\nSECRET=1'", uncertainEnd + notRead},
		{"an escaped backquote", "KEY=`it\\`\nSECRET=1`", uncertainEnd + notRead},
		{"an escaped backslash at the end", "KEY=\"it\\\\\"\nSECRET=1\"", uncertainEnd + notRead},
		{"CR in a value", "KEY=AAAA\rSECRET=1", uncertainEnd + notRead},
		{"CR before a comment", "KEY=AAAA # c\rSECRET=1", uncertainEnd + notRead},
		{"CR behind quotes", "KEY=\"AAAA\"\rSECRET=1", `text follows the closing "` + notRead},
		{"CR in a name", "KEY\rSECRET=1", notVariable + notRead},
		{"lines that end with CR", "KEY=AAAA\rSECRET=1\rX=3\r", uncertainEnd + notRead},
		{"a literal of Ruby", "KEY=%q(AAAA\nSECRET=1\n)", uncertainEnd + notRead},
		{"words of Ruby", "KEY=%w[AAAA\nSECRET=1]", uncertainEnd + notRead},
		{"a literal of Ruby without a letter", "KEY=%{AAAA\nSECRET=1}", uncertainEnd + notRead},
		{"a literal of Ruby between angles", "KEY=%Q<AAAA\nSECRET=1\n>", uncertainEnd + notRead},
		{"a literal of Ruby between bars", "KEY=%q|AAAA\nSECRET=1|", uncertainEnd + notRead},
		{"brackets in a literal of Ruby", "KEY=%q(AAAA (BBBB)\nSECRET=1\n)", uncertainEnd + notRead},
		{"a name in quotes", "\"KEY\"=\"AAAA\"\nSECRET=1", notVariable + notRead},
		{"a line in quotes", "\"KEY=AAAA\nSECRET=1\"", notVariable + notRead},
		{"an exported word in quotes", "export \"KEY=AAAA\nSECRET=1\"", notVariable + notRead},
		{"a colon", "KEY: \"AAAA=\nSECRET=1\"", notVariable + notRead},
		{"a value appended", "KEY+=\"AAAA\nSECRET=1", notVariable + notRead},
	} {
		t.Run(test.name, func(t *testing.T) {
			env, noted := readEnv("B=2\n" + test.entry + "\nC=3\n")
			equal(t, "variables", env, map[string]string{"B": "2"})
			equal(t, "notes", noted, ".env:2: "+test.note)
		})
	}
}

// What only looks like the beginning of something longer is a value.
func TestDotenvCertainEnds(t *testing.T) {
	for _, test := range []struct{ name, entry, value string }{
		{"an apostrophe", "KEY=it's me", "it's me"},
		{"an apostrophe, and quotes later", "KEY=don't\nB='x'", "don't"},
		{"typographic quotes", "KEY=“a”\nB=“b”", "“a”"},
		{"two apostrophes", "KEY=don't\nB=can't", "don't"},
		{"a quote in a password, and quotes later", "KEY=a\"b\nB=\" x\"", `a"b`},
		{"a quote in a password", `KEY=a"b`, `a"b`},
		{"quotes that are closed", `KEY=--a="x y" --b='z'`, `--a="x y" --b='z'`},
		{"brackets that are closed", "KEY=$(date) ${B} x", "$(date) ${B} x"},
		{"a bracket in a password", "KEY=a(b{c[d", "a(b{c[d"},
		{"JSON in a line", `KEY={"a": ["b=c"]}`, `{"a": ["b=c"]}`},
		{"a key in a line", `KEY=-----BEGIN K-----\nAAAA\n-----END K-----`, `-----BEGIN K-----\nAAAA\n-----END K-----`},
		{"signs of smaller", "KEY=1<<2", "1<<2"},
		{"a directory of Windows", `KEY='C:\a\b'`, `C:\a\b`},
		{"two backslashes at the end", `KEY=C:\\a\\`, `C:\\a\\`},
		{"a backslash at the end of the file", `KEY=C:\a\`, `C:\a\`},
		{"a literal of Ruby in a line", "KEY=%q(a (b) c)", "%q(a (b) c)"},
		{"a percent sign in a password", "KEY=%|a\nB=%q", "%|a"},
		{"an escaped backslash at the end of the last value", `KEY="C:\\a\\"`, `C:\a\`},
		{"CR in quotes", "KEY=\"a\rB=1\"", "a\rB=1"},
		{"CR at the end of the file", "KEY=a\r", "a"},
		{"CR before a name", "B=1\n\rKEY=a", "a"},
		{"CR in a comment", "# c\rB=1\nKEY=a", "a"},
		{"a comment with quotes", `KEY=a # it's "x`, "a"},
		{"a comment after a tab", "KEY=a\t# x", "a"},
		{"spaces before the value", "KEY=   a b", "a b"},
		{"a hexadecimal value and an empty one", "KEY=" + strings.Repeat("0123abcd", 8) + "\nDEBUG=", strings.Repeat("0123abcd", 8)},
	} {
		t.Run(test.name, func(t *testing.T) {
			env, noted := readEnv(test.entry)
			equal(t, "value", env["KEY"], test.value)
			equal(t, "notes", noted, "")
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
			equal(t, "notes", notesOf(p), test.want)
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
	compose = load(t, write(t, "process-compose.yaml", "processes: {a: {command: x, env_file: own}, b: {command: x, env_file: own}}\n", "own", "A-B=1"))
	equal(t, "one note for a file of two processes", notesOf(compose), "own:1: "+notVariable)
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
