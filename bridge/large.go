package bridge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"drawbridge/approval"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// shownHunks are a change's hunks as far as they fit into one message, with a
// diff beside them; else none, and why says so.
func (s *Server) shownHunks(ch session.Change, diff string) (list protocol.List[protocol.Hunk], why string) {
	list = s.hunks(ch)
	size := hunksLength(list)
	if !s.fitsFrame(size + jsonLength(diff)) {
		return nil, tooLargeToShow(size)
	}
	return list, ""
}

// askable refuses to ask about what the person could not be shown.
func (s *Server) askable(q protocol.ApprovalRequestParams) error {
	if q.Change == nil {
		return nil
	}
	size := hunksLength(q.Change.Hunks)
	if s.fitsFrame(size + jsonLength(q.Change.Diff)) {
		return nil
	}
	return approval.Unaskable{Why: tooLargeToShow(size)}
}

func tooLargeToShow(size int) string {
	return fmt.Sprintf("the change is too large to be shown (%.1f MB)", float64(size)/1e6)
}

// fitsFrame says that a message may have members of this length. A sixteenth is
// for what else it says.
func (s *Server) fitsFrame(length int) bool { return int64(length) < s.o.MaxFrame-s.o.MaxFrame/16 }

func hunksLength(list protocol.List[protocol.Hunk]) int {
	const around = 300 // ranges, names and the header
	n := 0
	for _, h := range list {
		n += around + jsonLength(h.OldText) + jsonLength(h.NewText)
	}
	return n
}

// jsonLength is how long a text is in JSON, at most where it is not UTF-8.
func jsonLength(s string) int {
	n := len(s) + strings.Count(s, "\u2028")*3 + strings.Count(s, "\u2029")*3
	valid := utf8.ValidString(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n', c == '\t', c == '\r', c == '"', c == '\\':
			n++
		case c < ' ', c >= utf8.RuneSelf && !valid:
			n += len(`\u0000`) - 1
		}
	}
	return n
}
