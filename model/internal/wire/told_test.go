package wire_test

import (
	"fmt"
	"testing"

	"drawbridge/model/internal/wire"
)

// What servers say of their models is read, each in its own words.
func TestWhatServersTellOfTheirModels(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id":"m"}`:                       "0 false false <nil>",
		`{"id":"m","max_model_len":32768}`: "32768 false false <nil>",
		`{"meta":{"n_ctx":4096,"n_ctx_train":131072},"capabilities":["completion","multimodal"]}`: "4096 true false <nil>",
		`{"capabilities":["completion"]}`:                               "0 false false <nil>",
		`{"context_window":131072}`:                                     "131072 false false <nil>",
		`{"max_context_length":128000,"capabilities":{"vision":false}}`: "128000 false true <nil>",
		`{"capabilities":{"vision":true}}`:                              "0 true false <nil>",
		`{"context_length":1050000,"architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000005","completion":"0.00003","input_cache_read":"0.0000005"}}`: "1050000 true false &{5 30 0.5 0}",
		`{"architecture":{"input_modalities":["text"]},"pricing":{"prompt":"-1","completion":"-1"}}`:                                                                            "0 false true <nil>",
		`{"meta":null,"capabilities":null,"pricing":null,"context_length":null}`:                                                                                                "0 false false <nil>",
		`{"context_length":"many"}`: "0 false false <nil>",
		`nonsense`:                  "0 false false <nil>",
	} {
		i := wire.Told("m", raw)
		price := "<nil>"
		if i.Price != nil {
			price = fmt.Sprintf("&{%.4g %.4g %.4g %.4g}", i.Price.Input, i.Price.Output, i.Price.CacheRead, i.Price.CacheWrite)
		}
		if got := fmt.Sprint(i.Context, " ", i.Vision, " ", i.NoVision, " ", price); got != want || i.ID != "m" {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
