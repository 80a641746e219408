// Package hostname interprets the names of hosts.
package hostname

import "strings"

// OnCluster reports whether host is the login node of a cluster, whose scheduler starts the jobs.
func OnCluster(host string) bool { return strings.HasPrefix(host, "slurm:") }

// Prefix returns what precedes the reason in an error about a host: its name and a colon. The name
// "slurm:", Slurm on this machine, ends with that colon.
func Prefix(host string) string { return strings.TrimSuffix(host, ":") + ": " }
