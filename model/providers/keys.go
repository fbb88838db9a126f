package providers

import (
	"strings"
	"sync"
)

// Keys holds the keys that an editor handed over from its secret store. They
// live in memory only, and a change counts from the next request on. The zero
// value is empty; a nil *Keys stays empty. It is safe for concurrent use.
type Keys struct {
	mu     sync.Mutex // guards below
	byName map[string]string
}

// Set stores a provider's key; an empty one takes it away.
func (k *Keys) Set(provider, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName == nil {
		k.byName = map[string]string{}
	}
	k.byName[provider] = strings.TrimSpace(key)
}

// Get returns a provider's key, or nothing.
func (k *Keys) Get(provider string) string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byName[provider]
}
