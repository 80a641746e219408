package ui

import (
	"slices"
	"testing"
)

func TestActionsMatchKeyMap(t *testing.T) {
	p := newPane(three())
	defer p.Close()
	inKeyMap := map[string]bool{}
	for _, k := range p.opts.keys.Actions() {
		inKeyMap[k.ID()] = true
		if (k.Section == "panes" || k.Section == "jobs") && p.actions.all[k.ID()].do == nil {
			t.Errorf("%s has a key and no row that does it", k.ID())
		}
	}
	for _, a := range p.actionTable() {
		if !inKeyMap[a.id] && a.Title == "" {
			t.Errorf("%s is no action of the key map and has no words of its own", a.id)
		}
	}
	for _, focus := range []area{areaList, areaDetail, areaLog} {
		p.view.focus = focus
		for _, id := range slices.Concat(p.actions.footers()...) {
			if !inKeyMap[id] {
				t.Errorf("a footer names %s, which is no action of the key map", id)
			}
		}
	}
}
