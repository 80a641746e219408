package deliver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

// firstWithoutMessages is the version of the protocol from which on a server must not send
// a message that belongs to no request.
const firstWithoutMessages = "2026-07-28"

// logEnds sends a client of an earlier version of the protocol a log message for each end,
// except those that the answer to a call in flight will report.
func (d *Delivery) logEnds() {
	d.news.mu.Lock()
	var now []notice
	for i := range d.news.notices {
		n := &d.news.notices[i]
		if !n.logged && d.news.of(n.job.ID).answering == 0 {
			n.logged = true
			now = append(now, *n)
		}
	}
	d.news.mu.Unlock()
	s := d.connection.Load()
	if s == nil {
		return
	}
	if p := s.InitializeParams(); p != nil && p.ProtocolVersion >= firstWithoutMessages {
		return
	}
	for _, n := range now {
		//lint:ignore SA1019 deprecated, and yet the only message every client takes
		level := mcp.LoggingLevel("info")
		if n.job.Unsuccessful() {
			level = "warning"
		}
		data := map[string]any{
			"event": "ended", "sessionId": n.job.ID, "name": plain.OneLine(n.job.Name, 60), "status": tool.StatusOf(n.job),
			"exitCode": n.job.Exit.Code, "reason": plain.OneLine(string(n.job.Exit.Reason), 60), "text": n.text,
		}
		//lint:ignore SA1019 as above
		if err := s.Log(d.Life, &mcp.LoggingMessageParams{Level: level, Logger: "hob", Data: data}); err != nil {
			d.Log.Debug("a log message about an end was not sent", "job", n.job.ID, "err", err)
		}
	}
}
