package model_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
)

// writeTinyModel makes a model file of half a megabyte with random weights: a
// real server loads it and talks noise, which is all that a test of the wire
// needs.
func writeTinyModel(t *testing.T, path string) {
	t.Helper()
	const (
		width, layers, heads, inner, context = 64, 2, 4, 128, 8192
	)
	words := byteWords()
	end := uint32(len(words))
	kinds := make([]int32, len(words)) // 1: normal, 3: control
	for i := range kinds {
		kinds[i] = 1
	}
	words = append(words, "<|endoftext|>", "<|im_start|>", "<|im_end|>", words[' ']+words[' '])
	kinds = append(kinds, 3, 3, 3, 1)

	g := gguf{random: rand.New(rand.NewPCG(1, 2))}
	g.text("general.architecture", "llama")
	g.text("general.name", "tiny-random")
	g.number("general.file_type", 0)
	g.number("llama.context_length", context)
	g.number("llama.embedding_length", width)
	g.number("llama.block_count", layers)
	g.number("llama.feed_forward_length", inner)
	g.number("llama.attention.head_count", heads)
	g.number("llama.attention.head_count_kv", heads)
	g.float("llama.attention.layer_norm_rms_epsilon", 1e-5)
	g.number("llama.rope.dimension_count", width/heads)
	g.number("llama.vocab_size", uint32(len(words)))
	g.text("tokenizer.ggml.model", "gpt2")
	g.text("tokenizer.ggml.pre", "gpt-2")
	g.texts("tokenizer.ggml.tokens", words)
	g.numbers("tokenizer.ggml.token_type", kinds)
	g.texts("tokenizer.ggml.merges", []string{words[' '] + " " + words[' ']})
	g.number("tokenizer.ggml.bos_token_id", end)
	g.number("tokenizer.ggml.eos_token_id", end+2)
	g.text("tokenizer.chat_template", chatTemplate)

	g.tensor("token_embd.weight", width, len(words))
	g.ones("output_norm.weight", width)
	g.tensor("output.weight", width, len(words))
	for layer := range layers {
		block := "blk." + string(rune('0'+layer)) + "."
		g.ones(block+"attn_norm.weight", width)
		g.ones(block+"ffn_norm.weight", width)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			g.tensor(block+name+".weight", width, width)
		}
		g.tensor(block+"ffn_gate.weight", width, inner)
		g.tensor(block+"ffn_up.weight", width, inner)
		g.tensor(block+"ffn_down.weight", inner, width)
	}
	if err := os.WriteFile(path, g.file(), 0o600); err != nil {
		t.Fatal(err)
	}
}

const chatTemplate = "{% if tools %}<|im_start|>system\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}" +
	"{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
	"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"

// byteWords is the alphabet of byte-level vocabularies: each byte by a
// printable character, the unprintable ones moved behind Latin-1.
func byteWords() []string {
	words := make([]string, 256)
	moved := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(b >= 33 && b < 127 || b >= 161 && b < 173 || b >= 174) {
			r, moved = moved, moved+1
		}
		words[b] = string(r)
	}
	return words
}

// gguf collects the three parts of the file format: fields, tensor headers and
// tensor data.
type gguf struct {
	random                *rand.Rand
	fields, headers, data bytes.Buffer
	nFields, nTensors     uint64
}

// alignment is the format's default for tensor data.
const alignment = 32

func put(b *bytes.Buffer, v any) {
	if err := binary.Write(b, binary.LittleEndian, v); err != nil {
		panic(err) // only fixed-size values are written
	}
}

func putText(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

// The format's numbers for types of values.
const (
	typeUint32 = uint32(4)
	typeInt32  = uint32(5)
	typeFloat  = uint32(6)
	typeText   = uint32(8)
	typeArray  = uint32(9)
)

func (g *gguf) field(name string, kind uint32) {
	g.nFields++
	putText(&g.fields, name)
	put(&g.fields, kind)
}

func (g *gguf) text(name, value string) {
	g.field(name, typeText)
	putText(&g.fields, value)
}

func (g *gguf) number(name string, value uint32) {
	g.field(name, typeUint32)
	put(&g.fields, value)
}

func (g *gguf) float(name string, value float32) {
	g.field(name, typeFloat)
	put(&g.fields, value)
}

func (g *gguf) texts(name string, values []string) {
	g.field(name, typeArray)
	put(&g.fields, typeText)
	put(&g.fields, uint64(len(values)))
	for _, v := range values {
		putText(&g.fields, v)
	}
}

func (g *gguf) numbers(name string, values []int32) {
	g.field(name, typeArray)
	put(&g.fields, typeInt32)
	put(&g.fields, uint64(len(values)))
	put(&g.fields, values)
}

func (g *gguf) tensor(name string, columns, rows int) {
	weights := make([]float32, columns*rows)
	for i := range weights {
		weights[i] = float32(g.random.NormFloat64() * 0.08)
	}
	g.add(name, weights, uint64(columns), uint64(rows))
}

func (g *gguf) ones(name string, n int) {
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = 1
	}
	g.add(name, weights, uint64(n))
}

func (g *gguf) add(name string, weights []float32, shape ...uint64) {
	g.nTensors++
	putText(&g.headers, name)
	put(&g.headers, uint32(len(shape)))
	put(&g.headers, shape)
	put(&g.headers, uint32(0)) // 32-bit floats
	put(&g.headers, uint64(g.data.Len()))
	put(&g.data, weights)
	pad(&g.data)
}

func pad(b *bytes.Buffer) {
	for b.Len()%alignment != 0 {
		b.WriteByte(0)
	}
}

func (g *gguf) file() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3)) // version
	put(&b, g.nTensors)
	put(&b, g.nFields)
	b.Write(g.fields.Bytes())
	b.Write(g.headers.Bytes())
	pad(&b)
	b.Write(g.data.Bytes())
	return b.Bytes()
}
