// Package listbox is the arithmetic of a list in a box: which entry is marked,
// which entries are seen, where they are drawn and how many lie below.
//
// What an entry is and how it looks is up to the component that has the list.
package listbox
