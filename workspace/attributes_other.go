//go:build !linux && !darwin

package workspace

import (
	"errors"
	"os"
)

// attributes reports that there are none: how they are spelled differs.
func attributes(*os.File) ([]string, error) { return nil, errors.ErrUnsupported }

func attribute(*os.File, string) ([]byte, error) { return nil, errors.ErrUnsupported }

func setAttribute(*os.File, string, []byte) error { return errors.ErrUnsupported }

func removeAttribute(*os.File, string) error { return errors.ErrUnsupported }
