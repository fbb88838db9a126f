//go:build !linux && !darwin

package sandbox

var candidates []candidate

// closeNetworks has nothing to do: commands have no networks of their own.
func closeNetworks() {}
