package session

import (
	"fmt"
	"slices"

	"drawbridge/tools"
)

// attached are prompt blocks whose pictures can be sent. One that a service would
// refuse would stand in every later request: nothing is begun with it.
func attached(blocks []Block) ([]Block, error) {
	if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Kind == BlockImage }) {
		return blocks, nil
	}
	blocks = slices.Clone(blocks)
	n := 0
	for i, b := range blocks {
		if b.Kind != BlockImage {
			continue
		}
		n++
		img, err := tools.Attached(pictureName(b, n), b.Data)
		if err != nil {
			return nil, &Error{Kind: "invalid", Message: err.Error(), Hint: "nothing was sent; take the picture out, or attach a PNG, JPEG, GIF or WebP file of at most 5 MB"}
		}
		blocks[i].MimeType, blocks[i].Data = img.MimeType, img.Data
	}
	return blocks, nil
}

// pictureName is what a picture is called towards who attached it.
func pictureName(b Block, n int) string {
	if b.Name != "" {
		return b.Name
	}
	return fmt.Sprintf("attached picture %d", n)
}
