//go:build !linux && !darwin

package sandbox

var candidates []candidate
