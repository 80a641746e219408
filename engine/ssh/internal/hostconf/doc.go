// Package hostconf finds out how `ssh HOST` would reach a host. `ssh -G` says it
// where there is an ssh; else the configuration files are read here, as far as
// they can be understood, and what cannot is a warning.
package hostconf
