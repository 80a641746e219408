//go:build unix

package pictures

import (
	"fmt"
	"io"
	"net"
	"time"
)

// A scene is hob on a terminal, and what is done there before the picture.
type scene struct {
	name       string
	cols, rows int
	args       []string   // of hob
	shell      bool       // a shell instead of hob
	before     [][]string // what hob starts first, oldest first
	steps      []step
}

// A step waits until all of sees is on the screen, looks on for a while, unless
// there is haste, then types keys.
type step struct {
	sees  []string
	watch time.Duration
	keys  string

	// In an animation:
	caption string
	hold    time.Duration // how long the screen is shown
	still   bool          // the screen for readers who want no motion
}

// apart is the time between the starts of two jobs, unless the scene is to be built
// quickly: in a real list not all jobs are a second old.
const apart = 11 * time.Second

// jobs are started before the panes are shown. The last asks for input.
func jobs() [][]string {
	return [][]string{
		{"run", "-b", "npm", "ci"},
		{"run", "-b", "go", "build", "./..."},
		{"run", "-b", "make", "test"},
		{"run", "-b", "python", "train.py"},
		{"run", "-b", "docker", "build", "."},
		{"run", "-b", "npm", "run", "dev"},
		{"run", "-b", "pytest", "-q"},
		{"run", "-b", "terraform", "apply"},
	}
}

func scenes() []scene {
	return []scene{
		{
			name: "panes", cols: 120, rows: 28, before: jobs(),
			steps: []step{
				{sees: []string{"1 needs input", "1 new failure", "74%", "exit 2"}, keys: "/npm run dev\r"},
				{sees: []string{"1 of "}, keys: "\x1b"},
				{sees: []string{"running for", "following", "jobs keep running"}, watch: 9 * time.Second},
			},
		},
		{
			name: "search", cols: 96, rows: 26,
			steps: []step{
				{sees: []string{"1 needs input"}, keys: "/make\r"},
				{sees: []string{"1 of "}, keys: "\x1b"},
				{sees: []string{"3 of 14 failed"}, keys: "\r"},
				{sees: []string{"Esc list"}, keys: "/fail"},
				{sees: []string{"of 4"}},
			},
		},
		{
			name: "palette", cols: 96, rows: 20,
			steps: []step{
				{sees: []string{"1 needs input"}, keys: ":"},
				{sees: []string{"Actions"}, keys: "re"},
				{sees: []string{"restart"}},
			},
		},
		{
			name: "foreground", cols: 96, rows: 15, args: []string{"run", "npm", "run", "dev"},
			steps: []step{{sees: []string{"press h + enter", "running", "Ctrl+B background"}, watch: 8 * time.Second}},
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
	printf '  \033[32m➜\033[m  press \033[1mh + enter\033[m to show help\n\n'
	exec vite ;;
"npm ci")
	sleep 1
	printf 'added 412 packages, and audited 413 packages in 9s\n' ;;
"terraform apply")
	printf 'Plan: 3 to add, 0 to change, 0 to destroy.\n\n'
	printf '\033[1mDo you want to perform these actions?\033[m\n  Only yes will be accepted.\n\n  Enter a value: '
	read -r answer
	sleep 1
	printf '\naws_s3_bucket.assets: Creation complete\naws_s3_object.index: Creation complete\naws_sqs_queue.orders: Creation complete\n'
	sleep 1
	printf '\n\033[1;32mApply complete! Resources: 3 added, 0 changed, 0 destroyed.\033[m\n' ;;
"docker build .")
	printf '\033]9;4;1;74\033\\'
	printf '#11 [builder 4/6] RUN npm ci\n'
	exec sleep 600 ;;
"python train.py")
	epoch=1
	while sleep 1.3 && [ $epoch -le 40 ]; do
		printf 'epoch %d/40  loss 0.%d\n' $epoch $((900 - epoch * 17))
		epoch=$((epoch + 1))
	done
	exec sleep 600 ;;
"pytest -q")
	n=1
	while sleep 0.7; do
		n=$((n * 7 % 11))
		for i in 1 2 3 4 5 6 7 8 9 10; do
			[ $i -gt $n ] || printf '................................................................\n'
		done
	done ;;
"make test")
	sleep 2
	printf 'go test ./...\n'
	printf 'ok    shop/address   0.08s\nok    shop/cart      0.41s\n'
	printf '\033[31mFAIL\033[m  shop/checkout  1.02s\n    total_test.go:31: got 0, want 12\n'
	printf 'ok    shop/currency  0.02s\nok    shop/invoice   0.77s\nok    shop/mail      0.19s\n'
	printf '\033[31mFAIL\033[m  shop/stock     0.30s\n    reserve_test.go:88: 2 left of 1\n    reserve_test.go:94: nothing was released\n'
	printf 'ok    shop/tax       0.11s\n'
	printf '\033[31mFAIL\033[m\n\033[1m3 of 14 failed\033[m\nmake: *** [Makefile:12: test] Error 1\n'
	exit 2 ;;
"go build ./...")
	exit 0 ;;
esac
`

// serve is the development server of a scene: it listens if the port is free, and
// prints changes until it is killed.
func serve(out io.Writer) {
	if l, err := net.Listen("tcp", "127.0.0.1:5173"); err == nil {
		defer l.Close()
	}
	changes := []string{
		"\033[32mhmr update\033[m /src/App.tsx",
		"\033[32mhmr update\033[m /src/cart/Total.tsx \033[33m(x2)\033[m",
		"\033[32mpage reload\033[m src/main.tsx",
		"\033[32mhmr update\033[m /src/checkout/Address.tsx",
	}
	for i := 0; ; i++ {
		time.Sleep(time.Duration(1100+i%3*2300) * time.Millisecond)
		fmt.Fprintf(out, "\033[2m%s\033[m \033[36m[vite]\033[m %s\n", time.Now().UTC().Format(time.TimeOnly), changes[i%len(changes)])
	}
}
