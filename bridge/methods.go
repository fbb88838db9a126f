package bridge

import (
	"context"
	"encoding/json"
	"errors"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// register ties our own methods to their handlers.
func (s *Server) register() {
	request(s, "session/new", s.newSession)
	request(s, "session/list", s.listSessions)
	request(s, "session/load", s.loadSession)
	staged(s, "session/configure", s.configureSession)
	request(s, "session/close", s.closeSession)
	staged(s, "session/prompt", s.prompt)
	staged(s, "session/continue", s.continueTurn)
	staged(s, "session/steer", s.steer)
	staged(s, "session/cancel", s.cancel)
	s.conn.HandlePreempt("session/cancel", s.cancelEarly)
	request(s, "change/list", s.listChanges)
	request(s, "change/show", s.showChange)
	request(s, "change/resolve", s.resolveChange)
	request(s, "change/resolveAll", s.resolveAll)
	request(s, "checkpoint/list", s.listCheckpoints)
	request(s, "checkpoint/preview", s.previewCheckpoint)
	request(s, "checkpoint/restore", s.restoreCheckpoint)
	request(s, "approval/list", s.listApprovals)
	request(s, "rules/list", s.listRules)
	request(s, "rules/forget", s.forgetRule)
	request(s, "trust/list", s.listTrust)
	request(s, "trust/answer", s.answerTrust)
	request(s, "subagent/list", s.listSubagents)
	request(s, "subagent/kill", s.killSubagent)
	request(s, "terminal/list", s.listTerminals)
	request(s, "terminal/read", s.readTerminal)
	staged(s, "terminal/write", s.writeTerminal)
	staged(s, "terminal/resize", s.resizeTerminal)
	request(s, "terminal/kill", s.killTerminal)
	s.conn.HandleNotification("terminal/ack", s.ackTerminal)
	s.conn.HandleNotification("document/encoding", s.setEncoding)
	request(s, "model/list", s.listModels)
	request(s, "model/key", s.setKey)
	request(s, "tool/list", s.listTools)
}

// request serves a method whose params and result are ours.
func request[P, R any](s *Server, method string, f func(ctx context.Context, p *P) (R, error)) {
	s.conn.HandleRequest(method, func(ctx context.Context, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		r, err := f(ctx, p)
		return r, s.wireError(err)
	})
}

// work is the part of a staged request that may take its time.
type work = func(ctx context.Context) (any, error)

// staged serves a method whose place in line counts: f runs in the order of the
// wire, what it returns on its own.
func staged[P any](s *Server, method string, f func(p *P) (work, error)) {
	s.conn.HandleStaged(method, func(params json.RawMessage) (work, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		run, err := f(p)
		if err != nil {
			return nil, s.wireError(err)
		}
		return func(ctx context.Context) (any, error) {
			r, err := run(ctx)
			return r, s.wireError(err)
		}, nil
	})
}

// decode reads params; a request without any has empty ones. What must be there
// is: a decision is never what a client forgot to say.
func decode(params json.RawMessage, into any) error {
	if len(params) > 0 {
		if err := json.Unmarshal(params, into); err != nil {
			return invalid("invalid params: " + err.Error())
		}
	}
	if err := checkRequired(params, into); err != nil {
		return invalid("invalid params: " + err.Error())
	}
	return nil
}

func invalid(message string) error {
	return &rpc.Error{Code: rpc.CodeInvalidParams, Kind: string(protocol.ErrInvalidParams), Message: message}
}

// done is the work that is done already.
func done(result any) work {
	return func(context.Context) (any, error) { return result, nil }
}

// wireError gives a refusal of the domain its words on the wire, without secrets.
func (s *Server) wireError(err error) error {
	var e *session.Error
	if !errors.As(err, &e) {
		return err
	}
	kind, code := errorKind(e.Kind)
	return &rpc.Error{Code: code, Kind: string(kind), Message: s.redacted(e.Message), Hint: s.redacted(e.Hint)}
}

func errorKind(kind string) (protocol.ErrorKind, int64) {
	switch kind {
	case "invalid":
		return protocol.ErrInvalidParams, rpc.CodeInvalidParams
	case "unknownSession", "unknownChange", "unknownCheckpoint", "unknownTerminal", "unknownSubagent", "unknownProvider":
		return protocol.ErrorKind(kind), rpc.CodeInvalidParams
	case "turnMismatch":
		return protocol.ErrNoTurn, rpc.CodeInvalidRequest
	case "nothingToContinue":
		return protocol.ErrNotInterrupted, rpc.CodeInvalidRequest
	case "stale":
		return protocol.ErrStale, rpc.CodeContentModified
	case "auth", "provider":
		return protocol.ErrorKind(kind), rpc.CodeInternal
	}
	return protocol.ErrorKind(kind), rpc.CodeInvalidRequest
}
