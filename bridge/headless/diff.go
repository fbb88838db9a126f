package headless

// Diff makes a diff fit to be shown on a terminal, in colour if it has any.
func Diff(text string, color bool) string { return (&TextView{Color: color}).diff(text) }
