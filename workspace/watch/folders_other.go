//go:build !linux

package watch

// maxFolders bounds the folders that are watched: here each file in them takes
// an open file of the process.
const maxFolders = 128
