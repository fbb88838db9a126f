package bridge

import (
	"cmp"
	"context"
	"errors"

	"drawbridge/model"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/tools"
)

// Models tells of the services of models. What is nil is not offered.
type Models struct {
	// Known are models, "provider:name", that need no asking.
	Known []string
	// List asks the services, all or one; those that fail are not ready.
	List func(ctx context.Context, provider string) ([]Model, []Provider)
	// Key takes a key and checks it. A refusal is a *model.Error.
	Key func(ctx context.Context, provider, key string) (Provider, error)
}

// Model is what a service says of one of its models.
type Model struct {
	Provider string
	model.Info
}

// Provider is a service of models. Hint says what to set when it is not ready.
type Provider struct {
	Name  string
	Ready bool
	Hint  string
}

func (s *Server) listModels(ctx context.Context, p *protocol.ModelListParams) (*protocol.ModelListResult, error) {
	result := &protocol.ModelListResult{}
	if s.o.Models.List == nil {
		return result, nil
	}
	list, providers := s.o.Models.List(ctx, p.Provider)
	for _, m := range list {
		result.Models = append(result.Models, protocol.Model{
			ID: m.Provider + ":" + m.ID, Provider: m.Provider,
			Name: m.ID, ContextTokens: int64(m.Context), Vision: m.Vision,
			Thinking: toThinking(m.Thinking), Price: toPrice(m.Price),
		})
	}
	for _, p := range providers {
		result.Providers = append(result.Providers, protocol.Provider(p))
	}
	return result, nil
}

func toThinking(words []string) (list []protocol.Thinking) {
	for _, w := range words {
		list = append(list, protocol.Thinking(w))
	}
	return list
}

func toPrice(p *model.Price) *protocol.Price {
	if p == nil {
		return nil
	}
	return &protocol.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
}

func (s *Server) setKey(ctx context.Context, p *protocol.ModelKeyParams) (*protocol.ModelKeyResult, error) {
	if s.o.Models.Key == nil {
		return nil, &session.Error{Kind: "unknownProvider", Message: "no provider takes a key"}
	}
	provider, err := s.o.Models.Key(ctx, p.Provider, p.Key)
	if err != nil {
		return nil, keyError(err)
	}
	return &protocol.ModelKeyResult{Provider: protocol.Provider(provider)}, nil
}

// keyError sorts a refused key by what can be done about it.
func keyError(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := protocol.ErrProvider
	switch e.Kind {
	case model.ErrAuth:
		kind = protocol.ErrAuth
	case model.ErrSetup:
		kind = protocol.ErrUnknownProvider
	case model.ErrInvalid:
		kind = protocol.ErrInvalidParams
	}
	return &session.Error{Kind: string(kind), Message: e.Message, Hint: e.Hint}
}

func (s *Server) listTools(_ context.Context, p *protocol.ToolListParams) (*protocol.ToolListResult, error) {
	profile := cmp.Or(string(p.Profile), s.o.Profiles[0])
	set, err := s.o.Sessions.Tools(profile)
	if err != nil {
		return nil, invalid(err.Error())
	}
	result := &protocol.ToolListResult{Profile: protocol.Profile(profile)}
	for _, t := range set.Tools {
		result.Tools = append(result.Tools, toTool(t.Spec()))
	}
	return result, nil
}

func toTool(t tools.Spec) protocol.Tool {
	return protocol.Tool{Name: t.Name, Description: t.Description, Access: protocol.Access(t.Access), Schema: t.Schema}
}
