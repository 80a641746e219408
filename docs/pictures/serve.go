//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"time"
)

// serve is the development server of a scene: it listens, if nobody else does
// there, and tells of changes until it is killed.
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
