package queue

import (
	"fmt"
	"strings"

	"github.com/hobjobs/hob/engine/record"
)

func waiting(ahead int, paused bool) string {
	text := "waiting for a slot"
	if paused {
		text = "the queue is paused"
	}
	if ahead > 0 {
		text += fmt.Sprintf(" (%d ahead)", ahead)
	}
	return text
}

// maxListed is how many jobs a reason names.
const maxListed = 3

// After is the reason of a job that waits for others.
func After(ids []record.ID) string {
	names := make([]string, 0, maxListed)
	for _, id := range ids {
		if len(names) == maxListed {
			return fmt.Sprintf("after %s and %d more", strings.Join(names, ", "), len(ids)-maxListed)
		}
		names = append(names, string(id))
	}
	return "after " + strings.Join(names, ", ")
}
