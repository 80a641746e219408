package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lineIndex tells the line of every key and table of a document, by its path.
type lineIndex map[string]int

// pathSeparator cannot stand in a TOML key.
const pathSeparator = "\x00"

func (l lineIndex) of(path ...string) int { return l[strings.Join(path, pathSeparator)] }

// indexLines walks a document that is known to be valid.
func indexLines(data []byte) lineIndex {
	l := lineIndex{}
	var p unstable.Parser
	p.Reset(data)
	var section []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = l.add(&p, nil, node)
		case unstable.KeyValue:
			l.addValue(&p, section, node)
		}
	}
	return l
}

// add notes the line of each part of a node's key and returns the whole path.
func (l lineIndex) add(p *unstable.Parser, above []string, node *unstable.Node) []string {
	path := append([]string(nil), above...)
	for it := node.Key(); it.Next(); {
		part := it.Node()
		path = append(path, string(part.Data))
		joined := strings.Join(path, pathSeparator)
		if _, known := l[joined]; !known {
			l[joined] = p.Shape(part.Raw).Start.Line
		}
	}
	return path
}

func (l lineIndex) addValue(p *unstable.Parser, above []string, node *unstable.Node) {
	path := l.add(p, above, node)
	value := node.Value()
	if value.Kind != unstable.InlineTable {
		return
	}
	for it := value.Children(); it.Next(); {
		if it.Node().Kind == unstable.KeyValue {
			l.addValue(p, path, it.Node())
		}
	}
}
