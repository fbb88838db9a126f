package bridge

import (
	"encoding/json"

	"drawbridge/bridge/lsp"
	"drawbridge/rpc/protocol"
)

// setEncoding notes how the editor reads and writes a document, for sessions
// that are open and those to come. What is no file has no bytes to be read.
func (s *Server) setEncoding(params json.RawMessage) {
	var p protocol.DocumentEncodingParams
	if err := decode(params, &p); err != nil {
		s.log.Warn("document/encoding ignored", "error", err)
		return
	}
	path := lsp.Path(p.URI)
	if path == "" {
		return
	}
	if !s.encodings.Declare(path, p.Encoding) {
		s.log.Warn("a document's encoding is not known here: its file is read as bytes, and only ASCII is put in",
			"uri", p.URI[:min(len(p.URI), 4<<10)], "encoding", sample(p.Encoding))
	}
}
