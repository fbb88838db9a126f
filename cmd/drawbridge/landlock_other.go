//go:build !linux

package main

func landlockABI() int { return 0 }
