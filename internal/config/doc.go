// Package config turns ~/.config/hob/config.toml and the environment into typed
// settings. It is the only package that knows TOML.
//
// [Load] reads the file once, nothing else; a missing file costs one failed
// open. It always returns settings that can be used: whatever is wrong (an
// unknown name, a bad value, a key bound twice) becomes a [Problem] that names
// file and line, or the variable, and the value that would have held without it
// holds. Whether a problem is fatal is the caller's decision.
//
// Order: environment, then file, then default. [Config.Origin] tells which one
// a value came from, [Config.WriteTOML] prints them all.
//
// A Config is not changed after Load and safe for concurrent use.
package config
