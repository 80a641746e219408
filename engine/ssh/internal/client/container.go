package client

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Container is a transport into a container, which a program enters.
type Container struct {
	*shell.Program
	command string
}

// Enter reaches the container that host names: docker:NAME, podman:NAME, or
// kubectl:[NAMESPACE/]POD[/CONTAINER]. ok is false for every other host. Nothing
// is run yet.
func Enter(host string) (c *Container, ok bool, err error) {
	program, name, found := strings.Cut(host, ":")
	if !found || program != "docker" && program != "podman" && program != "kubectl" {
		return nil, false, nil
	}
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if !containerName(p) {
			return nil, true, &Error{Step: "config", Err: fmt.Errorf("%q is not a valid container name", name), Final: true}
		}
	}
	argv := []string{program, "exec", "-i"}
	switch {
	case program == "kubectl" && len(parts) == 1:
		argv = append(argv, name, "--")
	case program == "kubectl" && len(parts) == 2:
		argv = append(argv, "-n", parts[0], parts[1], "--")
	case program == "kubectl" && len(parts) == 3:
		argv = append(argv, "-n", parts[0], "-c", parts[2], parts[1], "--")
	case len(parts) == 1:
		argv = append(argv, "--", name)
	default:
		return nil, true, &Error{Step: "config", Err: fmt.Errorf("%q is not a valid container name", name), Final: true}
	}
	argv = append(argv, "sh")
	return &Container{shell.NewEntrance(argv), strings.Join(argv, " ")}, true, nil
}

func containerName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("_.-", r)) {
			return false
		}
	}
	return s != ""
}

// String is the command that enters the container.
func (c *Container) String() string { return c.command }

// Open implements [shell.Transport].
func (c *Container) Open(ctx context.Context) (shell.Channel, error) {
	ch, err := c.Program.Open(ctx)
	if err != nil {
		err = &Error{Step: "connect", Err: err, Final: errors.Is(err, exec.ErrNotFound)}
	}
	return ch, err
}
