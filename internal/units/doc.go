// Package units reads and writes durations and sizes as people do: "7d",
// "1h30m", "10GiB", "3.2 GiB". It knows nothing of where they stand.
package units
