package httpget

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for url, want := range map[string]string{
		"http://localhost:8080/health": "http://localhost:8080/health",
		"http://127.0.0.1":             "http://127.0.0.1:80/",
		"http://[::1]:81?a=b#x":        "http://[::1]:81/?a=b",
		"http://web":                   "http://web:80/",
	} {
		if got, err := Parse(url); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v", url, got, err)
		}
	}
	for _, url := range []string{"https://web", "http://", "http://web:x/", "http://web:0", "http://a b/", "web:80"} {
		if got, err := Parse(url); err == nil {
			t.Errorf("%s: %+v", url, got)
		}
	}
}

func TestAsk(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if r.Header.Get("X-Token") != "a" || r.Host == "" {
			code = 400
		}
		w.WriteHeader(code)
	}))
	defer server.Close()
	for code, ok := range map[int]bool{200: true, 204: true, 302: true, 404: false, 503: false} {
		target, err := Parse(server.URL + "/" + strconv.Itoa(code))
		if err != nil {
			t.Fatal(err)
		}
		target.Header = map[string]string{"X-Token": "a\r\n"}
		conn, err := target.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := target.Ask(t.Context(), conn)
		conn.Close()
		if err != nil || s.Code != code || s.OK(0) != ok || !s.OK(code) {
			t.Errorf("%d: %+v, %v", code, s, err)
		}
		if want := strconv.Itoa(code) + " " + http.StatusText(code); s.Text != want {
			t.Errorf("text %q, want %q", s.Text, want)
		}
	}
}

// What does not answer, or answers something else, is an error; it never takes longer than the context.
func TestAskOfOtherServers(t *testing.T) {
	for name, answer := range map[string]string{"silent": "", "another protocol": "SSH-2.0-x\r\n", "no line": strings.Repeat("x", 10_000)} {
		client, server := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go func() {
			_, _ = server.Read(make([]byte, 1<<10))
			if answer == "" {
				cancel()
				return
			}
			_, _ = server.Write([]byte(answer))
		}()
		if s, err := (Target{Port: 80}).Ask(ctx, client); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
		cancel()
		client.Close()
		server.Close()
	}
}

func FuzzParseStatus(f *testing.F) {
	for _, s := range []string{"HTTP/1.1 200 OK", "HTTP/1.0 404", "", "HTTP/", "HTTP/1.1 \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := parseStatus(line); err == nil && s.Code < 100 {
			t.Errorf("%q: %+v", line, s)
		}
	})
}

// A file may name the host that the server is asked for.
func TestHostHeader(t *testing.T) {
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Host }))
	defer server.Close()
	target, err := Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Header = map[string]string{"host": "shop.test"}
	if err := target.Check(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != "shop.test" {
		t.Errorf("the server was asked for %q", got)
	}
}
