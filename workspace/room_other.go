//go:build !linux

package workspace

func preferLargePages([]byte) {}
