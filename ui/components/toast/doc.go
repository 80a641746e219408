// Package toast shows short messages that go by themselves: what was done, why
// something was refused, what wants attention.
package toast
