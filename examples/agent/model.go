package main

import "time"

// This file stands in for a model: the text of its turns and the tools it calls. A real model would
// be called over the network; the rest of the program would stay the same.

// step is one action of the model in a turn.
type step struct {
	say   string
	bash  *bashCall
	index bool   // index the repository, a tool of the agent itself
	stop  string // stop the jobs with this name
}

// bashCall has the arguments of the tool bash.
type bashCall struct {
	name, script string
	yield        time.Duration // time after which it moves to the background; 0: never
}

const devServer = `echo "> shop@1.4.0 dev"; echo "> vite --port 5173"; sleep 1
printf '\n  \033[32mVITE\033[m v8.3.4  ready in 312 ms\n\n  ➜  Local:  http://localhost:5173/\n'
i=0; while :; do i=$((i+1)); sleep 4; echo "$(date +%T) [vite] hmr update /src/page-$i.tsx"; done`

const tests = `for t in cart checkout search; do sleep 1; printf '\033[32m✓\033[m %s.test.ts\n' $t; done
sleep 1; printf '\033[31m✗\033[m price.test.ts\n  expected 12.50, got 12.499999\n'; exit 1`

const deploy = `printf 'Deploy shop 1.4.1 to production? [y/N] '; read -r answer
[ "$answer" = y ] || { echo 'not deployed'; exit 1; }
stty -echo; printf 'Passphrase of the key: '; read -r secret; stty echo
echo; sleep 1; echo deployed`

func turns() [][]step {
	return [][]step{
		{
			{say: "Let me see what is here."},
			{bash: &bashCall{name: "git log", script: `git log --oneline -5 2>/dev/null || ls`}},
			{say: "I'll start the development server. It keeps running: press Ctrl+B to send it to the background, or wait 20 seconds."},
			{bash: &bashCall{name: "npm run dev", script: devServer, yield: 20 * time.Second}},
			{say: "While that runs I'll index the code and run the tests."},
			{index: true},
			{bash: &bashCall{name: "npm test", script: tests, yield: time.Minute}},
			{say: "One test fails: price.test.ts compares floating point numbers exactly. Shall I fix it?"},
		},
		{
			{say: "Fixed: prices are counted in cents now. The tests once more."},
			{bash: &bashCall{name: "npm test", script: `for t in cart checkout search price; do sleep 1; printf '\033[32m✓\033[m %s.test.ts\n' $t; done`}},
			{say: "All green. I'll deploy it. The command asks you, not me."},
			{bash: &bashCall{name: "deploy", script: deploy}},
			{say: "I'll stop the development server."},
			{stop: "npm run dev"},
			{say: "Done."},
		},
	}
}
