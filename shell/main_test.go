package shell

import (
	"os"
	"testing"
)

// TestMain lets the test binary be a watcher and the bridges that tests kill.
func TestMain(m *testing.M) {
	GuardMain()
	os.Exit(m.Run())
}
