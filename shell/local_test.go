package shell_test

import (
	"testing"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

func TestLocalKeepsTheContract(t *testing.T) {
	shelltest.Run(t, func(t *testing.T) shell.Runner {
		return shell.NewRunner(shell.Options{})
	})
}
