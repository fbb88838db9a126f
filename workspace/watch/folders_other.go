//go:build !linux

package watch

// watchesUnnamed says that a file that is open is watched on when it has lost its
// name.
const watchesUnnamed = false

// maxFolders bounds the folders that are watched: here each file in them takes
// an open file of the process.
const maxFolders = 128
