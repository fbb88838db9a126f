package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"drawbridge/bridge"
	"drawbridge/model"
	"drawbridge/model/providers"
	"drawbridge/model/script"
	"drawbridge/shell"
)

// listLimit bounds the wait for a service's list of models.
const listLimit = 10 * time.Second

// catalogue answers questions about models and takes keys.
func (s *setup) catalogue() bridge.Models {
	known := []string{}
	if spec := s.defaultModel(s.providerOptions()); spec != "" {
		known = append(known, spec)
	}
	return bridge.Models{Known: known, List: s.listModels, Key: s.takeKey}
}

// listModels asks the services at the same time.
func (s *setup) listModels(ctx context.Context, only string) ([]bridge.Model, []bridge.Provider) {
	ctx, stop := context.WithTimeout(ctx, listLimit)
	defer stop()
	var names []string
	for _, name := range providers.Names() {
		if name != script.Name && (only == "" || only == name) {
			names = append(names, name)
		}
	}
	found := make([]bridge.Provider, len(names))
	lists := make([][]bridge.Model, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { found[i], lists[i] = s.listProvider(ctx, name) })
	}
	wg.Wait()
	var all []bridge.Model
	for _, l := range lists {
		all = append(all, l...)
	}
	return all, found
}

func (s *setup) listProvider(ctx context.Context, name string) (bridge.Provider, []bridge.Model) {
	o := s.providerOptions()
	if err := providers.Ready(name, o); err != nil {
		return bridge.Provider{Name: name, Hint: hint(err)}, nil
	}
	p, err := providers.Open(name, o)
	if err != nil {
		return bridge.Provider{Name: name, Hint: err.Error()}, nil
	}
	lister, ok := p.(model.Lister)
	if !ok {
		return bridge.Provider{Name: name, Ready: true}, nil
	}
	infos, err := lister.Models(ctx)
	if err != nil {
		return bridge.Provider{Name: name, Hint: hint(err)}, nil
	}
	s.heard.hear(name, infos)
	var list []bridge.Model
	for _, info := range infos {
		id := info.ID
		info = s.knownOf(name + ":" + id)
		info.ID = id
		list = append(list, bridge.Model{Provider: name, Info: info})
	}
	return bridge.Provider{Name: name, Ready: true}, list
}

func hint(err error) string {
	var me *model.Error
	if errors.As(err, &me) && me.Hint != "" {
		return me.Message + "; " + me.Hint
	}
	return err.Error()
}

// takeKey holds a key in memory and tries it. A key that the service refuses
// is forgotten again.
func (s *setup) takeKey(ctx context.Context, name, key string) (bridge.Provider, error) {
	if _, _, err := providers.Split(name); err != nil || name == script.Name {
		return bridge.Provider{}, &model.Error{Kind: model.ErrInvalid, Message: fmt.Sprintf("no provider %q takes a key", name)}
	}
	before := s.keys.Get(name)
	s.keys.Set(name, key)
	if shell.Recognizable(key) {
		s.learn(key)
	}
	if key == "" {
		return bridge.Provider{Name: name, Ready: providers.Ready(name, s.providerOptions()) == nil}, nil
	}
	ctx, stop := context.WithTimeout(ctx, listLimit)
	defer stop()
	err := providers.Check(ctx, name, s.providerOptions())
	var me *model.Error
	if errors.As(err, &me) && me.Kind == model.ErrAuth {
		s.keys.Set(name, before)
		return bridge.Provider{}, err
	}
	if err != nil {
		return bridge.Provider{Name: name, Ready: true, Hint: "kept, but not checked: " + err.Error()}, nil
	}
	return bridge.Provider{Name: name, Ready: true}, nil
}
