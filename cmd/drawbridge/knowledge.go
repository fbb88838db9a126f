package main

import (
	"context"
	"net/url"
	"sync"

	"drawbridge/config"
	"drawbridge/internal/fetch"
	"drawbridge/model"
	"drawbridge/model/known"
)

// knowledge is what services said of their models since the program began. Safe
// for concurrent use.
type knowledge struct {
	mu   sync.Mutex // guards below
	said map[string]model.Info
}

// hear keeps what a service said.
func (k *knowledge) hear(provider string, infos []model.Info) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.said == nil {
		k.said = map[string]model.Info{}
	}
	for _, info := range infos {
		k.said[provider+":"+info.ID] = info
	}
}

func (k *knowledge) of(full string) model.Info {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said[full]
}

// knownOf is what is known of a model without asking anybody: what the user has
// set goes before what its service said, and that before what is public.
func (s *setup) knownOf(full string) model.Info {
	info := known.Merge(known.Lookup(full), s.heard.of(full))
	if set, ok := s.cfg().Models[full]; ok {
		info = known.Merge(info, infoOf(set))
	}
	return info
}

func infoOf(set config.Model) model.Info {
	info := model.Info{Context: set.Context, Thinking: set.Thinking}
	if set.Vision != nil {
		info.Vision, info.NoVision = *set.Vision, !*set.Vision
	}
	if p := set.Price; p != nil {
		info.Price = &model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	}
	return info
}

func (s *setup) visionModel() string { return s.cfg().VisionModel }

// fetcher asks for addresses, with the exceptions that the settings have at the
// time.
type fetcher struct{ setup *setup }

func (f fetcher) Get(ctx context.Context, address, accept string, limit int64) (fetch.Answer, error) {
	c, err := f.client()
	if err != nil {
		return fetch.Answer{}, err
	}
	return c.Get(ctx, address, accept, limit)
}

func (f fetcher) Refuse(address *url.URL) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	return c.Refuse(address)
}

func (f fetcher) client() (*fetch.Client, error) {
	c, err := fetch.New(fetch.Options{Allow: f.setup.cfg().Images.Allow, UserAgent: "Drawbridge/" + version})
	if err != nil {
		return nil, &fetch.Error{Kind: fetch.Refused, Text: "images.allow: " + err.Error()}
	}
	return c, nil
}
