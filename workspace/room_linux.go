package workspace

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// preferLargePages is a hint; a kernel that does not take it changes nothing.
func preferLargePages(b []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := (page - start%page) % page
	whole := (uintptr(len(b)) - skip) / page * page
	_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE)
}
