// Package known is what is public of well-known models: what they hold, whether
// they take pictures, how they can be told to think, and what they cost. It asks
// nobody, so that it is known before the first request, and it leaves out what is
// not known rather than guess. What a service says of its models and what a user
// has set go before it. It starts no goroutine.
package known

import (
	"regexp"
	"strings"
	"sync"

	"drawbridge/model"
)

// Date is when the table was last compared with what vendors publish.
const Date = "2026-11"

// row is a model, or a family of models whose names begin alike.
type row struct {
	name   string
	family bool
	info   model.Info
}

// release is what vendors put behind a model's name to mean one release of it.
var release = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|@\d+)?$`)
})

// Lookup returns what is known of "provider:name", the zero Info where that is
// nothing. What one of the vendors' models costs elsewhere is not known.
func Lookup(full string) model.Info {
	provider, name, _ := strings.Cut(full, ":")
	name = strings.ToLower(name)
	switch provider {
	case "anthropic":
		return find(anthropic(), name)
	case "openai":
		return find(openai(), name)
	case "openai-chat":
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:]
		}
		info := Merge(find(open(), name), Merge(find(anthropic(), name), find(openai(), name)))
		info.Price, info.Thinking = nil, nil // servers differ in both
		return info
	}
	return model.Info{}
}

// find prefers a model to its family, and a longer name to a shorter one.
func find(rows []row, name string) (info model.Info) {
	length := -1
	for _, r := range rows {
		rest, begins := strings.CutPrefix(name, r.name)
		if !begins || !r.family && !release().MatchString(rest) {
			continue
		}
		n := len(r.name)
		if !r.family {
			n += 1000
		}
		if n > length {
			length, info = n, r.info
		}
	}
	return info
}

// Merge is what two sources know together; what over says counts.
func Merge(under, over model.Info) model.Info {
	out := under
	if over.ID != "" {
		out.ID = over.ID
	}
	if over.Context > 0 {
		out.Context = over.Context
	}
	if over.Vision || over.NoVision {
		out.Vision, out.NoVision = over.Vision, over.NoVision
	}
	if over.Thinking != nil {
		out.Thinking = over.Thinking
	}
	if over.Price != nil {
		out.Price = over.Price
	}
	return out
}
