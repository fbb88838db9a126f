//go:build !linux

package stage

import (
	"errors"
	"os"
)

func (s Spec) run(*os.File) error { return errors.ErrUnsupported }
