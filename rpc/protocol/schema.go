package protocol

import _ "embed"

//go:embed protocol.json
var schema []byte

// SchemaJSON is the JSON Schema of this protocol, with the method table. The
// caller must not change it.
func SchemaJSON() []byte { return schema }
