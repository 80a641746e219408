package project

import (
	"encoding/json"
	"fmt"

	"github.com/hobjobs/hob/engine"
)

// Input is a value that the editor asks for when it runs a task: ${input:ID}.
type Input struct {
	ID      string
	Text    string   // what to ask; empty: the file has no text
	Options []string // the possible values; none: any

	preset *value // its default; nil: there is none
	// refused is why hob does not ask for it; empty: it does.
	refused string
}

// readInputs reads the inputs of a tasks.json.
func (p *parser) readInputs(list *value) {
	if !list.is(listValue) {
		return
	}
	p.inputs = map[string]Input{}
	for i := range list.items {
		v := &list.items[i]
		in := Input{ID: v.plain("id"), Text: v.plain("description"), preset: v.get("default")}
		if options := v.get("options"); options.is(listValue) {
			for j := range options.items {
				option := &options.items[j]
				if option.is(objectValue) {
					option = option.get("value")
				}
				if option.is(textValue) {
					in.Options = append(in.Options, option.text)
				}
			}
		}
		switch {
		case v.plain("type") == "command":
			in.refused = "a command of the editor has its value"
		case v.plain("password") == "true":
			in.refused = "it is a password, and hob stores commands"
		}
		p.inputs[in.ID] = in
	}
}

// plain returns the text of a field, "" if it has none.
func (v *value) plain(name string) string {
	if own := v.get(name); own.is(textValue) {
		return own.text
	}
	return ""
}

// input returns the value of an input. It notes in asks that a task uses one without a value.
func (p *parser) input(id string) (text string, err error) {
	if answer, ok := p.source.Answers[id]; ok {
		return answer, nil
	}
	in, ok := p.inputs[id]
	switch {
	case !ok:
		return "", fmt.Errorf("${input:%s} is not one of the inputs of the file", id)
	case in.preset.is(textValue):
		return in.preset.text, nil
	case in.refused != "":
		return "", fmt.Errorf("${input:%s} has no default: %s", id, in.refused)
	case p.source.KeepAsking:
		p.asks = append(p.asks, in)
		return "", nil
	}
	return "", fmt.Errorf("${input:%s} has no default; hob up asks for it in a terminal", id)
}

// AnswersOf returns the values of inputs with which the given jobs were started.
func AnswersOf(jobs []engine.Job) map[string]string {
	all := map[string]string{}
	for _, j := range jobs {
		for id, text := range sourceOf(j).Answers {
			if _, ok := all[id]; !ok {
				all[id] = text
			}
		}
	}
	return all
}

func answersText(answers map[string]string) string {
	if len(answers) == 0 {
		return ""
	}
	text, _ := json.Marshal(answers) // cannot fail
	return string(text)
}

// answersOf is the inverse of answersText.
func answersOf(text string) (answers map[string]string) {
	_ = json.Unmarshal([]byte(text), &answers) // a label that was set by hand may be anything
	return answers
}
