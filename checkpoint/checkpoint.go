// Package checkpoint keeps what files held before they were changed, in a
// store outside the workspace whose contents are named by their hash.
package checkpoint
