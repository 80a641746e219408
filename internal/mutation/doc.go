// Package mutation takes guarantees away, one at a time, and sees that a test
// notices. A suite that passes without a guarantee does not prove it.
//
// It has tests alone. In every run they check that each change still applies to
// the code as it is; with -mutation they make the changes, in an overlay and not
// in the tree, and run the tests that must fail:
//
//	go test ./internal/mutation -mutation
//	go test ./internal/mutation -mutation -run 'TestGuarantees/lost'
package mutation
