package main

import "os"

// isTerminal says that a person may be at the other end.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && ttySize(f)
}
