package bridge

import "encoding/json"

func (s *Server) setEncoding(json.RawMessage) {}
