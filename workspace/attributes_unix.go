//go:build linux || darwin

package workspace

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute is the most that Linux keeps of one attribute, and of all names.
const maxAttribute = 64 << 10

// attributes lists the names of a file's extended attributes.
func attributes(f *os.File) ([]string, error) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Flistxattr(int(f.Fd()), buf)
		if err == unix.ERANGE && len(buf) < maxAttribute {
			buf = make([]byte, maxAttribute)
			continue
		}
		if err != nil || n == 0 {
			return nil, err
		}
		return strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00"), nil
	}
}

func attribute(f *os.File, name string) ([]byte, error) {
	n, err := unix.Fgetxattr(int(f.Fd()), name, nil)
	if err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, n)
	n, err = unix.Fgetxattr(int(f.Fd()), name, buf)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

func setAttribute(f *os.File, name string, value []byte) error {
	return unix.Fsetxattr(int(f.Fd()), name, value, 0)
}

func removeAttribute(f *os.File, name string) error { return unix.Fremovexattr(int(f.Fd()), name) }
