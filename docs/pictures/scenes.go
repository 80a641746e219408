//go:build unix

package main

// A scene is hob on a terminal, and what is done there before the picture.
type scene struct {
	name       string
	cols, rows int
	args       []string   // of hob
	before     [][]string // what hob starts first, oldest first
	steps      []step
}

// A step waits until all of sees is on the screen, then types keys.
type step struct {
	sees []string
	keys string
}

// jobs are started before the panes are shown. The last asks for input.
func jobs() [][]string {
	return [][]string{
		{"run", "-b", "go", "build", "./..."},
		{"run", "-b", "make", "test"},
		{"run", "-b", "pytest", "-x"},
		{"run", "-b", "docker", "build", "."},
		{"run", "-b", "npm", "run", "dev"},
		{"run", "-b", "terraform", "apply"},
	}
}

func scenes() []scene {
	return []scene{
		{
			name: "panes", cols: 120, rows: 32, before: jobs(),
			steps: []step{
				{sees: []string{"1 waits for you", "2 failed", "74%", "exit 2"}, keys: "/npm run dev\r"},
				{sees: []string{"1 of "}, keys: "\x1b"},
				{sees: []string{"started", "page reload", "following", "jobs keep running"}},
			},
		},
		{
			name: "search", cols: 96, rows: 24,
			steps: []step{
				{sees: []string{"1 waits for you"}, keys: "/make\r"},
				{sees: []string{"1 of "}, keys: "\x1b"},
				{sees: []string{"2 of 14 failed"}, keys: "\r"},
				{sees: []string{"Esc back"}, keys: "/fail"},
				{sees: []string{"of 3"}},
			},
		},
		{
			name: "palette", cols: 96, rows: 24,
			steps: []step{
				{sees: []string{"1 waits for you"}, keys: ":"},
				{sees: []string{"Actions"}, keys: "re"},
				{sees: []string{"restart"}},
			},
		},
		{
			name: "foreground", cols: 96, rows: 14, args: []string{"run", "npm", "run", "dev"},
			steps: []step{{sees: []string{"press h + enter", "running", "Ctrl+B background"}}},
		},
	}
}

// demo is every command of the jobs, by the name that it is called by.
const demo = `#!/bin/sh
case "${0##*/} $*" in
"npm run dev")
	printf '\n> shop@1.0.0 dev\n> vite --port 5173\n\n'
	printf '  \033[1;32mVITE\033[m \033[32mv8.3.4\033[m  \033[2mready in\033[m \033[1m312\033[m ms\n\n'
	printf '  \033[32m➜\033[m  \033[1mLocal\033[m:   \033[36mhttp://localhost:5173/\033[m\n'
	printf '  \033[32m➜\033[m  press \033[1mh + enter\033[m to show help\n'
	printf '\033[2m14:09:40\033[m \033[36m[vite]\033[m \033[32mhmr update\033[m /src/App.tsx\n'
	printf '\033[2m14:14:02\033[m \033[36m[vite]\033[m \033[32mpage reload\033[m src/main.tsx\n'
	exec sleep 600 ;;
"terraform apply")
	printf 'Plan: 3 to add, 0 to change, 0 to destroy.\n\n'
	printf '\033[1mDo you want to perform these actions?\033[m\n  Only yes will be accepted.\n\n  Enter a value: '
	read -r answer ;;
"docker build .")
	printf '\033]9;4;1;74\033\\'
	printf '#11 [builder 4/6] RUN npm ci\n'
	exec sleep 600 ;;
"pytest -x")
	printf 'E   AssertionError: 3 != 4\n'
	kill -SEGV $$ ;;
"make test")
	printf 'ok    shop/cart     0.41s\n\033[31mFAIL\033[m  shop/checkout 1.02s\n    total_test.go:31: got 0, want 12\n'
	printf '\033[31mFAIL\033[m  shop/stock    0.30s\n    \033[1m2 of 14 failed\033[m\n'
	exit 2 ;;
"go build ./...")
	exit 0 ;;
esac
`
