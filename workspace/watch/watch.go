// Package watch sees which files of a workspace are changed on the disk, by
// whomever.
package watch
