package cause

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used. Programs that import the
// package and explain nothing, such as every holder, do not pay for the tables.
type pattern string

var compiled sync.Map // *regexp.Regexp by pattern

func (p pattern) regexp() *regexp.Regexp {
	if re, ok := compiled.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(string(p))
	compiled.Store(p, re)
	return re
}
