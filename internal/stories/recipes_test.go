package stories

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/testtool"
)

// hostile is the name of a job that a careless recipe would take for something else.
const hostile = `-@/etc/passwd "q' $(touch pwned) #(touch pwned) #{pid} %H <!channel> \n; é`

var recipe = regexp.MustCompile("(?s)\n### ([^\n]+)\n.*?```toml\n(.*?)```")

// recipes returns the commands that docs/notify.md recommends.
func recipes(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "notify.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, found := range recipe.FindAllStringSubmatch(string(page), -1) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(found[2]), 0o600); err != nil {
			t.Fatal(err)
		}
		c := config.LoadFrom(path, func(string) (string, bool) { return "", false })
		if len(c.Problems) > 0 || len(c.Notify.Command) == 0 {
			t.Fatalf("%s: %v", found[1], c.Problems)
		}
		all[found[1]] = c.Notify.Command
	}
	if len(all) != 6 {
		t.Fatalf("the page has the recipes %v", all)
	}
	return all
}

// tell runs a recipe as a holder does, with these directories before PATH.
func tell(t *testing.T, command []string, env ...string) {
	t.Helper()
	dir := t.TempDir()
	n := notify.Notice{Event: notifyevent.NeedsInput, Status: "waiting", Result: "needs input", Detail: "sure?"}
	object := `{"event":"needs_input","message":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(n.Message(hostile)) + `","job":null}`
	in := filepath.Join(dir, "object")
	if err := os.WriteFile(in, []byte(object), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	notify.Command{
		Script: shellword.Join(command) + ` "$1" "$2"`,
		Name:   hostile,
		Dir:    dir,
		Env:    append(os.Environ(), env...),
		Stdin:  stdin,
		Start:  (*exec.Cmd).Start,
	}.Run(t.Context(), n)
	if failed := jobdir.NotifyFailure(dir); failed != nil {
		t.Errorf("the recipe failed: %+v", failed)
	}
	if _, err := os.Stat("/pwned"); err == nil {
		t.Error("text of a job was run as code")
	}
}

// request is what a recipe has sent.
type request struct {
	path   string
	title  string
	fields map[string]string
	body   string
}

func newRequest(r *http.Request) request {
	got := request{path: r.URL.Path, title: r.Header.Get("Title")}
	isForm := strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
	if !isForm || r.ParseMultipartForm(1<<20) != nil {
		body, _ := io.ReadAll(r.Body)
		got.body = string(body)
		return got
	}
	got.fields = map[string]string{}
	for name := range maps.Keys(r.PostForm) {
		got.fields[name] = r.PostForm.Get(name)
	}
	return got
}

// The recipes for the web send the message as it is, to a server on this machine.
func TestRecipesOfTheWeb(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "curl", "jq")
	message := hostile + " needs input: sure?"
	all := recipes(t)
	for name, want := range map[string]request{
		"ntfy": {path: "/YOUR-TOPIC", title: "hob", body: message},
		"Pushover": {path: "/1/messages.json", fields: map[string]string{
			"token": "YOUR-TOKEN", "user": "YOUR-KEY", "message": message,
		}},
		"Slack": {
			path: "/services/YOUR/WEB/HOOK",
			body: `{"blocks":[{"type":"section","text":{"type":"plain_text","text":"` +
				strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(message) + `"}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := make(chan request, 1)
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { requests <- newRequest(r) }))
			defer server.Close()
			command := append([]string(nil), all[name]...)
			command[2] = regexp.MustCompile(`https://[^/]+`).ReplaceAllString(command[2], server.URL)
			tell(t, command)
			got := <-requests
			got.body = compact(got.body)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(request{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// compact removes the layout of jq's output.
func compact(body string) string {
	if !strings.HasPrefix(body, "{") {
		return body
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		b.WriteString(strings.Replace(strings.TrimSpace(line), `": `, `":`, 1))
	}
	return b.String()
}

// The programs of a desktop get the message as one argument.
func TestRecipesOfTheDesktop(t *testing.T) {
	t.Parallel()
	all := recipes(t)
	for name, program := range map[string]string{"The desktop: Linux": "notify-send", "The desktop: macOS": "osascript"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := t.TempDir()
			script := "#!/bin/sh\nfor last; do :; done; printf '%s' \"$last\" >" + filepath.Join(bin, "got") + "\n"
			if err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			tell(t, all[name], "PATH="+bin+":"+os.Getenv("PATH"))
			got, err := os.ReadFile(filepath.Join(bin, "got"))
			if err != nil {
				t.Fatal(err)
			}
			if want := "hob: " + hostile + " needs input: sure?"; string(got) != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// tmux logs what it has displayed to a client, here one in control mode.
func TestRecipeOfTmux(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "tmux")
	dir := testtool.TempDir(t)
	tmux := exec.CommandContext(t.Context(), "tmux", "-f", "/dev/null", "-S", filepath.Join(dir, "s"), "-C", "new-session", "cat")
	tmux.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8")
	in, err := tmux.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := tmux.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tmux.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = io.WriteString(in, "kill-server\n")
		_ = tmux.Wait()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "%session-changed") {
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	socket := "TMUX=" + filepath.Join(dir, "s") + ",1,0"
	tell(t, recipes(t)["tmux"], socket, "LC_ALL=C.UTF-8")
	show := exec.CommandContext(t.Context(), "tmux", "show-messages")
	show.Env = append(os.Environ(), socket, "LC_ALL=C.UTF-8")
	shown, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := " message: hob: " + hostile + " needs input: sure?\n"; !strings.Contains(string(shown), want) {
		t.Errorf("tmux displayed\n%s, want %q", shown, want)
	}
}
