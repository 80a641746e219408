//go:build unix

package pictures

import (
	"strings"
	"time"
)

// prompt is that of the shell in an animation.
const prompt = "\x1b[36m~/src/shop\x1b[m $ "

// firstMinute is the animation in README.md: a command, Ctrl+B, the list, a search
// in the log of a failed job, and the answer to a job that needs input.
func firstMinute() scene {
	const (
		run    = "run any command with hob"
		leave  = "Ctrl+B: send it to the background, where it keeps running"
		list   = "the job list shows what runs, what failed and what needs input"
		move   = "j k g G: choose a job"
		open   = "Enter: open its log"
		search = "/: search as you type"
		back   = "Esc: back to the list"
		attach = "a: attach to a job, and answer it"
		end    = "the job ends; hob keeps its output and exit status"
	)
	var steps []step
	add := func(s ...step) { steps = append(steps, s...) }
	add(step{sees: []string{"shop $"}, caption: run, hold: time.Second})
	add(typed(run, "$ ", "hob run npm run dev")...)
	add(step{caption: run, hold: 500 * time.Millisecond, keys: "\r"})
	add(step{sees: []string{"Local", "press h + enter"}, caption: run, hold: 1500 * time.Millisecond})
	add(step{sees: []string{"App.tsx"}, caption: run, hold: 1200 * time.Millisecond})
	add(step{sees: []string{"Total.tsx"}, caption: leave, hold: 2 * time.Second, keys: "\x02"})
	add(step{sees: []string{"1 needs input", "1 new failure", "74%"}, caption: list, watch: time.Second, hold: 5 * time.Second, still: true, keys: "j"})
	add(step{sees: []string{"/40  loss"}, caption: move, hold: 500 * time.Millisecond, keys: "j"})
	add(step{sees: []string{"[builder 4/6]"}, caption: move, hold: 500 * time.Millisecond, keys: "j"})
	add(step{sees: []string{"3 of 14 failed"}, caption: move, hold: 2 * time.Second, keys: "\r"})
	add(step{sees: []string{"Esc list"}, caption: open, hold: time.Second, keys: "/"})
	add(typed(search, "\n regex /", "fail")...)
	add(step{sees: []string{"of 4"}, caption: search, hold: 2500 * time.Millisecond, keys: "\r"})
	add(step{sees: []string{"Esc"}, caption: search, hold: time.Second, keys: "n"})
	add(step{sees: []string{"Esc"}, caption: search, hold: 1500 * time.Millisecond, keys: "\x1b"})
	add(step{sees: []string{"Esc"}, caption: back, hold: 500 * time.Millisecond, keys: "\x1b"})
	add(step{sees: []string{"q quit"}, caption: back, hold: time.Second, keys: "g"})
	add(step{sees: []string{"Enter a value:"}, caption: move, hold: 2 * time.Second, keys: "a"})
	add(step{sees: []string{"Ctrl+B"}, caption: attach, hold: time.Second})
	add(typed(attach, "Enter a value: ", "yes")...)
	add(step{sees: []string{"Enter a value: yes"}, caption: attach, hold: 700 * time.Millisecond, keys: "\r"})
	add(step{sees: []string{"Creation complete"}, caption: attach, hold: time.Second})
	add(step{sees: []string{"Apply complete"}, caption: end, hold: 4 * time.Second})
	return scene{name: "first-minute", cols: 100, rows: 26, shell: true, before: moreJobs(), steps: steps}
}

// moreJobs are there before the animation begins. The last needs input.
func moreJobs() [][]string {
	return [][]string{
		{"run", "-b", "npm", "ci"},
		{"run", "-b", "docker", "build", "."},
		{"run", "-b", "make", "test"},
		{"run", "-b", "python", "train.py"},
		{"run", "-b", "terraform", "apply"},
	}
}

// typed are the steps that type text after before, a character each.
func typed(caption, before, text string) []step {
	var steps []step
	for i := range text {
		steps = append(steps, step{sees: []string{strings.TrimRight(before+text[:i], " ")}, caption: caption, hold: 70 * time.Millisecond, keys: text[i : i+1]})
	}
	return steps
}
