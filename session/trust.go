package session

// TrustAnswer is what the user said about settings that a workspace brings.
type TrustAnswer struct {
	Workspace string `json:"workspace"`
	Digest    string `json:"digest"`
	Trusted   bool   `json:"trusted"`
}

// NoteTrust records an answer that changes what the session goes by.
func (s *Session) NoteTrust(a TrustAnswer) { s.out.keep(record{Type: recTrust, Trust: &a}) }
