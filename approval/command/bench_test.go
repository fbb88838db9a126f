package command

import (
	"strings"
	"testing"
)

const line200 = `cd internal/app && GOFLAGS=-mod=mod go test -run 'TestOne|TestTwo' -count=1 ./pkg/... 2>&1 | grep -v "no test files" | head -n 50 && git diff --stat -- 'src/*.go' docs > /dev/null || echo "failed: $?"`

func BenchmarkParse200Bytes(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse(line200, "/ws", nil)
	}
}

func BenchmarkParse64KiB(b *testing.B) {
	text := strings.Repeat(line200+"\n", MaxBytes/(len(line200)+1))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if s := Parse(text, "/ws", nil); len(s.Doubts) > 0 {
			b.Fatal(s.Doubts)
		}
	}
}
