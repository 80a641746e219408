// Package localclient is what a client of this machine's jobs does: it starts each with a holder
// ([Launcher]), and operates them through their files, their holders and their queues ([Run]). Package
// engine/local makes a backend of it. On a host, hob-holder does the same for clients elsewhere, so this
// package links only what a holder may; see package hostjob.
package localclient
