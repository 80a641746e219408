package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/app/project"
)

// answer sets the inputs of tasks that have no value in the file: to those with which the running jobs were started,
// or else to what the user answers on the terminal.
func (f *upFlags) answer(ctx context.Context, a *app, names []string) error {
	asking := *f
	asking.source.KeepAsking = true
	plan, chosen, err := asking.plan(names)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(plan.Processes, func(p project.Process) bool { return len(p.Asks) > 0 }) {
		return nil
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	running, err := f.groupOf(plan).Running(ctx, eng)
	if err != nil {
		return err
	}
	f.source.Answers = project.AnswersOf(running)
	mayAsk := isTerminal(a.stdin) && hasScreen(a.stderr)
	if f.check || a.json || !mayAsk {
		return nil
	}
	for _, proc := range chosen {
		for _, in := range proc.Asks {
			if _, ok := f.source.Answers[in.ID]; ok {
				continue
			}
			if f.source.Answers[in.ID], err = askInput(ctx, proc.Name, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// askInput asks for an input of a task until the answer is possible.
func askInput(ctx context.Context, task string, in project.Input) (string, error) {
	text := in.Text
	if text == "" {
		text = in.ID
	}
	if len(in.Options) > 0 {
		text += " (" + strings.Join(in.Options, ", ") + ")"
	}
	for {
		answer, err := askTerminal(ctx, escape(task+": "+text), false)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s needs a value of ${input:%s}: %w", task, in.ID, err)
		case len(in.Options) == 0, slices.Contains(in.Options, answer):
			return answer, nil
		}
	}
}
