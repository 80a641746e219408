// Package client reaches a host as `ssh HOST` would: configuration, jumps and
// proxies, host keys, authentication; and keeps the connection alive.
package client
