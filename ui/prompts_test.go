package ui

import (
	"strconv"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestPromptForAPasswordFits(t *testing.T) {
	for w, want := range map[int]string{
		120: "Password for ./deploy.sh --all production (hidden): ****",
		80:  "Password for ./depl…ction (hidden): ****",
		60:  "Password for ./dep…tion (hidden): ****",
		40:  "Password for ./dep…t: ****",
	} {
		inBubble(t, strconv.Itoa(w), func(t *testing.T) {
			eng := three()
			eng.jobs[0].Name, eng.jobs[0].Entry = "./deploy.sh --all production", engine.EntryHidden
			s := newHarness(t, w, 24, eng)
			s.press("i")
			s.write("1234")
			s.sees(want)
		})
	}
}
