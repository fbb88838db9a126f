package tools

import "drawbridge/shell"

// screen makes text of a command's output; see shell.Screen.
type screen struct {
	shell.Cleaner
}

func newScreen(tty bool, cols int) *screen { return &screen{shell.Cleaner{TTY: tty}} }

// Take has nothing to add.
func (s *screen) Take() string { return "" }

func (s *screen) fresh() *screen { return newScreen(s.TTY, 0) }
