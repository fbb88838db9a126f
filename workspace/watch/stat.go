package watch

import (
	"os"
	"syscall"
)

// Stat looks at a name itself: a link is a file of its own. What cannot be
// looked at is not there.
func Stat(name string) File {
	info, err := os.Lstat(name)
	if err != nil {
		return File{}
	}
	f := File{Exists: true, Size: info.Size(), Modified: info.ModTime().UnixNano(), Mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Device, f.Inode = uint64(st.Dev), uint64(st.Ino) // their widths differ between systems
	}
	return f
}
