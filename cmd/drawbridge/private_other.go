//go:build !linux

package main

// keepPrivate does nothing: other systems have no such switch.
func keepPrivate() {}
