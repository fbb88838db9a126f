package shell

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// The model of a ring is all that was ever written: a growing part of written.
func TestRingKeepsTheNewestUnderTheirOffsets(t *testing.T) {
	const most = 400_000
	written := make([]byte, 12*most)
	rand.NewChaCha8([32]byte{}).Read(written)
	rapid.Check(t, func(t *rapid.T) {
		var r Ring
		n := 0
		for range rapid.IntRange(1, 12).Draw(t, "writes") {
			size := rapid.IntRange(0, most).Draw(t, "size")
			r.Append(written[n : n+size])
			n += size
			checkWindow(t, &r, written[:n], rapid.Int64Range(-1, int64(n)+2).Draw(t, "offset"),
				rapid.IntRange(-1, 2*RingSize).Draw(t, "limit"))
		}
		if len(r.buf) > RingSize {
			t.Fatalf("ring holds %d bytes", len(r.buf))
		}
	})
}

func checkWindow(t *rapid.T, r *Ring, all []byte, offset int64, limit int) {
	c := r.Read(offset, limit)
	from := min(max(offset, int64(len(all)-RingSize), 0), int64(len(all)))
	want := all[from:]
	want = want[:min(max(limit, 0), len(want))]
	if c.Offset != from || c.End != int64(len(all)) || !bytes.Equal(c.Data, want) || c.EOF {
		t.Fatalf("read(%d, %d) of %d: offset %d, %d bytes, end %d", offset, limit, len(all), c.Offset, len(c.Data), c.End)
	}
}

func TestRingTakesAPieceLargerThanItself(t *testing.T) {
	for _, size := range []int{RingSize + 1, 2*RingSize + 5, 4*RingSize - 1} {
		piece := make([]byte, size)
		rand.NewChaCha8([32]byte{}).Read(piece)
		var r Ring
		r.Append([]byte("lost"))
		r.Append(piece)
		c := r.Read(0, 2*RingSize)
		if c.Offset != int64(4+size-RingSize) || !bytes.Equal(c.Data, piece[size-RingSize:]) {
			t.Errorf("piece of %d: offset %d, %d bytes", size, c.Offset, len(c.Data))
		}
	}
}

func TestRingCostsWhatItHolds(t *testing.T) {
	var r Ring
	r.Append([]byte("hi\n"))
	if len(r.buf) > firstRing {
		t.Errorf("a short command holds %d bytes", len(r.buf))
	}
	data := r.Read(0, 10).Data
	r.Append([]byte("more"))
	data[0] = 'X'
	if string(r.Read(0, 10).Data) != "hi\nmore" {
		t.Error("a reader's copy is the ring's memory")
	}
}

func TestRingWakesReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Ring
		woken := make(chan error, 3)
		for range 3 {
			go func() { woken <- r.Wait(t.Context(), 0) }()
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatal("woken by nothing")
		}
		r.Append([]byte("x"))
		for range 3 {
			if err := <-woken; err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { woken <- r.Wait(ctx, 1) }()
		synctest.Wait()
		cancel()
		if err := <-woken; !errors.Is(err, context.Canceled) {
			t.Errorf("wait: %v", err)
		}
		r.Close()
		r.Append([]byte("ignored"))
		if c := r.Read(1, 9); r.Wait(t.Context(), 1) != nil || !c.EOF || r.End() != 1 {
			t.Errorf("closed ring: %+v", c)
		}
		if r.Read(0, 0).EOF {
			t.Error("EOF before the last byte was read")
		}
	})
}

func BenchmarkRing100MB(b *testing.B) {
	p := make([]byte, maxRead)
	for b.Loop() {
		var r Ring
		for n := 0; n < 100<<20; n += len(p) {
			r.Append(p)
		}
	}
}
