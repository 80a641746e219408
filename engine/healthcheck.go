package engine

import (
	"strings"

	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/httpget"
	"github.com/hobjobs/hob/internal/units"
)

func checkHealth(s Spec, given bool) (problem, hint string) {
	check := s.Health.Check
	switch {
	case check == "":
	case given && hostname.OnCluster(s.Host):
		return "{health} cannot be used for jobs on a cluster", "check the job from outside, or in the command itself"
	case strings.HasPrefix(check, "https://"):
		return "{health} does not support https://", "use a command: {health} 'curl -fsS " + check + "'"
	case strings.HasPrefix(check, "http://"):
		if _, err := httpget.Parse(check); err != nil {
			return "{health} " + check + ": " + err.Error(), "use a URL such as http://localhost:8080/health"
		}
	case strings.HasPrefix(check, ":"):
		if _, err := units.ParsePort(check[1:]); err != nil {
			return "{health} " + check + ": " + err.Error(), "use a port such as :8080"
		}
	}
	return "", ""
}

// needsHealth refuses an option without the check that it is about.
func needsHealth(name string) func(s Spec, given bool) (problem, hint string) {
	return func(s Spec, given bool) (problem, hint string) {
		if given && s.Health.Check == "" {
			return "{" + name + "} requires {health}", "add {health}, or remove {" + name + "}"
		}
		return "", ""
	}
}
