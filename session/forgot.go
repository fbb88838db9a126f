package session

// forgotRecord is a remembered yes that a person took back.
type forgotRecord struct {
	Rule   string `json:"rule"`
	Source string `json:"source"` // as rule.Source names it
}

// NoteForgotten records that a remembered yes was taken back, by a person who
// looked at this session: what is decided from now on goes without it.
func (s *Session) NoteForgotten(source, rule string) {
	s.out.keep(record{Type: recForgot, Forgot: &forgotRecord{Rule: rule, Source: source}})
}
