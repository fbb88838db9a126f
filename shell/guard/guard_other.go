//go:build !linux

package guard

// keep does nothing where orphans cannot be adopted.
func keep(string, bool) {}

func runInit(string, string, []string) {}
