package workspace

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// keepAttributes gives f the extended attributes of the file that it takes the
// place of, access lists included, and takes from it what a new file was given
// and that one did not have: the access list that a directory hands down would
// else let others in. It returns what of them could not be kept and would be
// missed, as words for whoever made the change; "" if nothing.
//
// It comes after owner and mode: an access list also is the mode's group bits.
// The access lists of macOS are no attributes and stay with the old file.
func keepAttributes(f, like *os.File) (note string) {
	names, err := attributes(like)
	if err != nil {
		return "" // a file system without them
	}
	var lost []string
	for _, name := range names {
		if !portable(name) {
			continue
		}
		value, err := attribute(like, name)
		if err == nil {
			err = setAttribute(f, name, value)
		}
		if err != nil && missed(name) {
			lost = append(lost, name)
		}
	}
	given, _ := attributes(f) // none, where like has none either
	for _, name := range given {
		if missed(name) && !slices.Contains(names, name) && removeAttribute(f, name) != nil {
			lost = append(lost, name)
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("the file's extended attributes could not all be kept: %s", strings.Join(lost, ", "))
}

// portable says that an attribute is about the file and not about the bytes
// it had: a capability vouches for a program, a digest for a content. What a
// layered file system notes for itself is none of ours.
func portable(name string) bool {
	switch name {
	case "security.capability", "security.ima", "security.evm":
		return false
	}
	return !strings.HasPrefix(name, "trusted.overlay.") && !strings.HasPrefix(name, "user.overlay.")
}

// missed says that somebody set an attribute on purpose and relies on it. The
// others are the system's labels, which it gives to new files by itself.
func missed(name string) bool {
	return !strings.HasPrefix(name, "security.") && !strings.HasPrefix(name, "trusted.") &&
		name != "com.apple.provenance"
}
