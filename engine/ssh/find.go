package ssh

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
)

// perRequest is how many records are requested at once.
const perRequest = 100

// Find implements [engine.Finder].
func (b *Backend) Find(ctx context.Context, host string, known func(token string) bool, found func(engine.Found) error) error {
	h := b.host(host)
	c, err := h.connect(ctx, false)
	if err != nil {
		return lateOrLost(host, err)
	}
	base := c.host.Base
	a, err := h.ask(ctx, quick, recipe.Known(base), askOptions{})
	if err != nil {
		return lateOrLost(host, err)
	}
	tokens := recipe.ParseFiles(a.Out)
	var ids []string
	for id, files := range tokens {
		if token := files["token"]; token != "" && !known(token) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, perRequest) {
		if a, err = h.ask(ctx, quick, recipe.Records(base, some), askOptions{}); err != nil {
			return lateOrLost(host, err)
		}
		for id, files := range recipe.ParseFiles(a.Out) {
			m, err := jobdir.DecodeMeta([]byte(files[jobdir.MetaFile]))
			if err != nil || m.Token != tokens[id]["token"] || m.Backend != Name {
				continue // a start that was given up, or not a job of this backend
			}
			m.ID, m.ClientMachine = engine.ID(id), strings.Trim(files["owner"], "-")
			if err := found(engine.Found{Request: m.Request, HostDir: path.Join(base, id)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lateOrLost wraps the error of a request to host. An answer that was too late counts as none.
func lateOrLost(host string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errNoAnswer
	}
	return unreachable(host, err)
}

var errNoAnswer = errors.New("no answer")
