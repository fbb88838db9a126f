package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
)

// HunkIDs is a list of hunk ids that may be absent but not null: an absent
// list of an allow accepts everything, and a client's missing value must not
// say that by accident.
type HunkIDs []string

// UnmarshalJSON refuses null.
func (h *HunkIDs) UnmarshalJSON(b []byte) error {
	if isNull(b) {
		return errors.New("hunks: null is no list; leave the field out to mean all")
	}
	ids := []string{}
	if err := json.Unmarshal(b, &ids); err != nil {
		return err
	}
	*h = ids
	return nil
}

// HunkChoice is either "all" or a list of hunk ids. The zero value is nothing.
type HunkChoice struct {
	All bool
	IDs []string
}

// IsZero says that nothing is chosen.
func (c HunkChoice) IsZero() bool { return !c.All && len(c.IDs) == 0 }

// MarshalJSON writes "all" or the list.
func (c HunkChoice) MarshalJSON() ([]byte, error) {
	if c.All {
		return []byte(`"all"`), nil
	}
	return json.Marshal(List[string](c.IDs))
}

// UnmarshalJSON reads "all" or a list, nothing else.
func (c *HunkChoice) UnmarshalJSON(b []byte) error {
	var word string
	if json.Unmarshal(b, &word) == nil && !isNull(b) {
		if word != "all" {
			return errors.New(`hunks: want "all" or a list of ids`)
		}
		*c = HunkChoice{All: true}
		return nil
	}
	var ids HunkIDs
	if err := ids.UnmarshalJSON(b); err != nil {
		return err
	}
	*c = HunkChoice{IDs: ids}
	return nil
}

func isNull(b []byte) bool { return bytes.Equal(bytes.TrimSpace(b), []byte("null")) }
