// Package httpget asks an HTTP server for the status of a page. Package net/http would make each holder of a
// job several megabytes larger (see docs/decisions), and its client follows redirects and keeps
// connections open, which a check must not do.
package httpget

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Target is what to ask for.
type Target struct {
	Host string // a name or an address; empty or localhost: this machine
	Port int
	Path string // empty: /
	// Header has further lines of the request by their names.
	Header map[string]string
}

// Parse parses a URL such as http://127.0.0.1:8080/health. Other schemes are refused.
func Parse(url string) (Target, error) {
	rest, ok := strings.CutPrefix(url, "http://")
	if !ok {
		return Target{}, errors.New("the URL must begin with http://")
	}
	if strings.ContainsAny(rest, " \t\r\n\x00") {
		return Target{}, errors.New("the URL contains a space")
	}
	rest, _, _ = strings.Cut(rest, "#")
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		at = len(rest)
	}
	t := Target{Port: 80, Path: rest[at:]}
	if strings.HasPrefix(t.Path, "?") {
		t.Path = "/" + t.Path
	}
	host, port, err := net.SplitHostPort(rest[:at])
	if err != nil { // without a port
		host, port = strings.Trim(rest[:at], "[]"), "80"
	}
	t.Host = host
	t.Port, err = strconv.Atoi(port)
	isPort := err == nil && t.Port > 0 && t.Port <= 65535
	if !isPort || host == "" {
		return Target{}, fmt.Errorf("%q is not a host and a port", rest[:at])
	}
	return t, nil
}

// String returns the URL.
func (t Target) String() string {
	return "http://" + net.JoinHostPort(cmp.Or(t.Host, "localhost"), strconv.Itoa(t.Port)) + cmp.Or(t.Path, "/")
}

// Local reports whether the target is certainly on this machine.
func (t Target) Local() bool { return t.anyLoopback() || net.ParseIP(t.Host).IsLoopback() }

// anyLoopback reports whether the host means this machine, and no address of it.
func (t Target) anyLoopback() bool {
	switch t.Host {
	case "", "localhost":
		return true
	}
	return net.ParseIP(t.Host).IsUnspecified()
}

// Dial connects to the target. For this machine it tries both loopback addresses: not every machine can
// resolve localhost, and a server may listen on one of them only.
func (t Target) Dial(ctx context.Context) (net.Conn, error) {
	hosts := []string{t.Host}
	if t.anyLoopback() {
		hosts = []string{"127.0.0.1", "::1"}
	}
	var d net.Dialer
	var first error
	for _, host := range hosts {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(t.Port)))
		if err == nil {
			return conn, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// maxStatusLine limits what is read of an answer, in bytes.
const maxStatusLine = 4 << 10

// Status is the answer of a server.
type Status struct {
	Code int
	Text string // "503 Service Unavailable"
}

// OK reports whether the status is the wanted one; 0: 2xx or 3xx.
func (s Status) OK(want int) bool {
	if want != 0 {
		return s.Code == want
	}
	return s.Code >= 200 && s.Code < 400
}

// Check connects to the target and asks it. It returns an error unless the answer has the status want; 0: 2xx or
// 3xx.
func (t Target) Check(ctx context.Context, want int) error {
	conn, err := t.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	status, err := t.Ask(ctx, conn)
	if err == nil && !status.OK(want) {
		err = errors.New(status.Text)
	}
	return err
}

// Ask sends the request on conn, which the caller has dialed and closes, and returns the answer. It returns
// when ctx is done.
func (t Target) Ask(ctx context.Context, conn net.Conn) (Status, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	host := t.hostLine()
	var b strings.Builder
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\n", cmp.Or(t.Path, "/"))
	for name, value := range t.Header {
		if strings.EqualFold(name, "Host") {
			host = clean(value)
			continue
		}
		b.WriteString(clean(name) + ": " + clean(value) + "\r\n")
	}
	b.WriteString("Host: " + host + "\r\n")
	b.WriteString("User-Agent: hob\r\nAccept: */*\r\nConnection: close\r\n\r\n")
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return Status{}, cmp.Or(ctx.Err(), err)
	}
	line, err := bufio.NewReader(io.LimitReader(conn, maxStatusLine)).ReadString('\n')
	if err != nil {
		return Status{}, cmp.Or(ctx.Err(), fmt.Errorf("no HTTP answer: %w", err))
	}
	return parseStatus(strings.TrimRight(line, "\r\n"))
}

func (t Target) hostLine() string {
	host := cmp.Or(t.Host, "localhost")
	if t.Port == 80 && !strings.Contains(host, ":") { // an IPv6 address needs brackets
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(t.Port))
}

// clean removes what would end a line of the request.
func clean(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

func parseStatus(line string) (Status, error) {
	version, text, _ := strings.Cut(line, " ")
	code, err := strconv.Atoi(strings.TrimSpace(text[:min(len(text), 3)]))
	isAnswer := strings.HasPrefix(version, "HTTP/") && err == nil && code >= 100
	if !isAnswer {
		return Status{}, errors.New("the answer is not HTTP")
	}
	return Status{code, strings.TrimSpace(text)}, nil
}
