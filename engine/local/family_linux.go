package local

import (
	"os"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/proc"
)

// maxFamily bounds the look at a job that has very many processes.
const maxFamily = 256

// family are the leader and its descendants, found from parent to child: cheaper
// than a look at every process of the machine, and enough to find who reads.
func family(leader int) []proc.Process {
	var out []proc.Process
	for todo := []int{leader}; len(todo) > 0 && len(out) < maxFamily; {
		pid := todo[0]
		todo = todo[1:]
		p, err := proc.Stat(pid)
		if err != nil {
			continue
		}
		out = append(out, p)
		todo = append(todo, childrenOf(pid)...)
	}
	return out
}

func childrenOf(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var pids []int
	for _, t := range tasks {
		data, err := os.ReadFile(dir + t.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
