package project

import (
	"maps"
	"strconv"
)

// templateVars are the variables of a file's templates, from its objects vars.
type templateVars map[string]string

// replicaVar is the variable with the number of a replica, from 0.
const replicaVar = "PC_REPLICA_NUM"

// with returns the variables for a process, which has further ones.
func (t templateVars) with(own map[string]string, replica int) templateVars {
	all := maps.Clone(t)
	maps.Copy(all, own)
	all[replicaVar] = strconv.Itoa(replica)
	return all
}

var (
	template = compiledLater(`\{\{-?\s*((?:[^{}"]|"[^"]*")*?)\s*-?\}\}`)
	// action is what a template may consist of: one operand, or the first one that is not empty.
	action  = compiledLater(`^(?:or\s+)?(?:\s*(?:\.\w+|"[^"\\]*"))+$`)
	operand = compiledLater(`\.\w+|"[^"\\]*"`)
)

// render replaces the templates in a text: {{.NAME}}, {{"TEXT"}} and {{or A B}} with such operands. ok is false if there
// are others; these are left as they are. isEmpty reports whether a text is empty once its variables of the environment
// are replaced, which render does not do.
func (t templateVars) render(s string, isEmpty func(string) bool) (rendered string, ok bool) {
	ok = true
	rendered = template().ReplaceAllStringFunc(s, func(whole string) string {
		inner := template().FindStringSubmatch(whole)[1]
		operands := operand().FindAllString(inner, -1)
		isOr := len(inner) > 2 && inner[:2] == "or"
		if !action().MatchString(inner) || isOr == (len(operands) == 1) {
			ok = false
			return whole
		}
		var text string
		for _, o := range operands {
			if text = o[1:]; o[0] == '"' {
				text = o[1 : len(o)-1]
			} else if value, known := t[text]; known {
				text = value
			} else {
				ok = false
				return whole
			}
			if !isEmpty(text) {
				break
			}
		}
		return text
	})
	return rendered, ok
}
