package workspace

import "unsafe"

// wide is from which size on a text gets room of its own kind.
const wide = 1 << 20

// room returns an empty buffer for n bytes. Large ones are asked for in large
// pages where the system has them: touching fresh memory page by page is most
// of what handling a text of some megabytes costs.
func room(n int) []byte {
	buf := make([]byte, 0, n)
	if n >= wide {
		preferLargePages(buf[:n])
	}
	return buf
}

// textOf is buf as a string, without a copy. Nobody may hold buf afterwards.
func textOf(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }
