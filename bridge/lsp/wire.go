package lsp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"drawbridge/internal/mirror"
	"drawbridge/rpc"
)

// The library's types may only be encoded and decoded by the library itself:
// encoding/json accepts most of them and is wrong without saying so.

// decode reads params of the protocol. An unpaired surrogate, which editors
// send while a character is being typed, becomes U+FFFD.
func decode(params json.RawMessage, into any) error {
	if err := protocol.Unmarshal(params, into); err != nil {
		return &rpc.Error{Code: rpc.CodeInvalidParams, Kind: "invalid", Message: "invalid params: " + err.Error()}
	}
	return nil
}

func encode(v any) (json.RawMessage, error) {
	b, err := protocol.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Path is the file that a URI names, "" if it names none.
func Path(u string) string {
	if len(u) < 5 || !strings.EqualFold(u[:5], "file:") {
		return "" // the parser would make a file of anything without a scheme
	}
	parsed, err := uri.Parse(u)
	if err != nil {
		return ""
	}
	path := parsed.FsPath()
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// URI names an absolute path.
func URI(path string) string { return string(uri.File(path)) }

func fromRange(r protocol.Range) mirror.Range {
	return mirror.Range{Start: mirror.Position(r.Start), End: mirror.Position(r.End)}
}

func toRange(r mirror.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

func on() *bool {
	yes := true
	return &yes
}

func is(flag *bool) bool { return flag != nil && *flag }
