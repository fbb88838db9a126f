//go:build !linux

package search

import "os/exec"

// endWithUs does nothing: a program that nobody reads from ends at its next line.
func endWithUs(*exec.Cmd) {}
