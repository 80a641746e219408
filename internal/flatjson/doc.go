// Package flatjson writes and reads JSON objects of known fields without
// reflection. encoding/json learns a type when it is first used: for the records of
// a job that takes longer than all else that a start does with them, and what is
// learnt stays in the memory of each holder.
//
// What is written is byte for byte what encoding/json writes. What is read is that
// alone: of anything else, such as white space or an unknown field, a [Reader] says
// that it cannot, and the caller asks encoding/json.
package flatjson
