package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"
)

const (
	// maxImage bounds a picture in bytes, as services do.
	maxImage = 5 << 20
	// maxSide bounds a picture's sides in pixels: services refuse more, and with it
	// every later request of the conversation.
	maxSide = 8000
)

// format is a kind of picture that models take.
type format struct {
	mime  string
	sides func(r io.Reader) (image.Config, error)
}

// formats are found by how a picture begins.
var formats = []struct {
	magic string // a ? is any byte
	format
}{
	{"\x89PNG\r\n\x1a\n", format{"image/png", png.DecodeConfig}},
	{"\xff\xd8\xff", format{"image/jpeg", jpeg.DecodeConfig}},
	{"GIF87a", format{"image/gif", gif.DecodeConfig}},
	{"GIF89a", format{"image/gif", gif.DecodeConfig}},
	{"RIFF????WEBP", format{"image/webp", webpSides}},
}

func begins(data []byte, magic string) bool {
	if len(data) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != data[i] {
			return false
		}
	}
	return true
}

// judge says what a picture is by its bytes, whatever its name says. Nothing is
// unpacked: the sides stand at the beginning. told is what it is called elsewhere,
// for the failure.
func judge(name string, data []byte, told string) (mime string, err error) {
	for _, f := range formats {
		if begins(data, f.magic) {
			return f.mime, f.check(name, data)
		}
	}
	return "", Failf("%q is of an unsupported type: %s. Supported are image/png, image/jpeg, image/gif and image/webp.", name, foreignType(data, told))
}

// Attached is the picture that a person attached under a name, as base64. Its kind
// is that of its bytes, whatever it is said to be; what read_image would refuse is
// an error here.
func Attached(name, data string) (Image, error) {
	if base64.StdEncoding.DecodedLen(len(data)) > maxImage+2 {
		return Image{}, Failf("%q is too large: at most %d bytes (5 MB) are taken. Make it smaller first.", name, maxImage)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		return Image{}, Failf("%q is not base64: %v", name, err)
	case len(raw) == 0:
		return Image{}, Failf("%q is empty (0 bytes)", name)
	case len(raw) > maxImage:
		return Image{}, Failf("%q is too large: %d bytes; at most %d bytes (5 MB) are taken. Make it smaller first.", name, len(raw), maxImage)
	}
	kind, err := judge(name, raw, "")
	if err != nil {
		return Image{}, err
	}
	return Image{MimeType: kind, Data: base64.StdEncoding.EncodeToString(raw)}, nil
}

// check refuses what a service would refuse: such a picture would stand in every
// later request.
func (f format) check(name string, data []byte) error {
	c, err := f.sides(bytes.NewReader(data))
	if err != nil {
		return Failf("%q begins like %s, but is damaged: %v", name, f.mime, err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return Failf("%q is damaged: a picture of %d×%d pixels", name, c.Width, c.Height)
	}
	if c.Width > maxSide || c.Height > maxSide {
		return Failf("%q is too large: %d×%d pixels; at most %d on a side are taken. Make it smaller first.", name, c.Width, c.Height, maxSide)
	}
	return nil
}

// foreignType names what is no picture for a model, as far as its bytes tell, else
// by what it is called.
func foreignType(data []byte, told string) string {
	for magic, name := range map[string]string{
		"BM": "image/bmp", "II*\x00": "image/tiff", "MM\x00*": "image/tiff", "\x00\x00\x01\x00": "image/x-icon",
		"????ftypavif": "image/avif", "????ftyphei": "image/heic", "8BPS": "image/vnd.adobe.photoshop", "%PDF-": "application/pdf",
	} {
		if begins(data, magic) {
			return name
		}
	}
	if bytes.Contains(data[:min(len(data), 1024)], []byte("<svg")) {
		return "image/svg+xml"
	}
	seen, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if told != "" && (seen == "application/octet-stream" || seen == "text/plain") {
		return told + " (by its name, not by its content)"
	}
	return seen
}

// webpSides reads the sides of a WebP picture from its first chunk.
func webpSides(r io.Reader) (c image.Config, err error) {
	var b [30]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return c, err
	}
	switch body := b[20:]; string(b[12:16]) {
	case "VP8 ":
		if !bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}) {
			return c, fmt.Errorf("it has no key frame")
		}
		c.Width = int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff)
		c.Height = int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:])
		if body[0] != 0x2f {
			return c, fmt.Errorf("it has no lossless frame")
		}
		c.Width, c.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case "VP8X":
		c.Width, c.Height = 1+int(uint24(body[4:])), 1+int(uint24(body[7:]))
	default:
		err = fmt.Errorf("its first part is unknown")
	}
	return c, err
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// sizeWords says how large something is: "68 B", "1.5 kB", "5.0 MB".
func sizeWords(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
