package anthropic_test

import (
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
	"drawbridge/model/anthropic"
	"drawbridge/model/internal/wire"
	"drawbridge/model/modeltest"
)

func open(baseURL, key string) model.Provider {
	return anthropic.New(wire.Options{
		BaseURL:    baseURL,
		Credential: func() wire.Credential { return wire.Credential{Secret: key} },
	})
}

func TestContract(t *testing.T) { modeltest.Run(t, fakemodel.Anthropic, open) }
