package openaichat_test

import (
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
	"drawbridge/model/internal/wire"
	"drawbridge/model/modeltest"
	"drawbridge/model/openaichat"
)

func open(baseURL, key string) model.Provider {
	return openaichat.New(wire.Options{
		BaseURL:    baseURL,
		Credential: func() wire.Credential { return wire.Credential{Secret: key} },
	})
}

func TestContract(t *testing.T) { modeltest.Run(t, fakemodel.Chat, open) }
