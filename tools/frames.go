package tools

import "context"

// FrameKind is the place of a Frame in the stream of a call.
type FrameKind string

const (
	FrameStart    FrameKind = "start"
	FrameDelta    FrameKind = "delta"
	FrameStop     FrameKind = "stop"
	FrameComplete FrameKind = "complete"
)

// Frame is one message of a call's stream: start, delta*, stop, complete.
type Frame struct {
	Kind   FrameKind
	CallID string
	Text   string  // of a delta; of complete, all deltas joined
	Images []Image // on the last delta and on complete
	Status Status  // of stop and complete
}

// Frames is CarryOut with its stream as frames. Pictures are sent once, whole,
// directly before stop. A Delta of the call is served as well.
func Frames(ctx context.Context, call Call, run func(ctx context.Context, out Output) (Result, error), emit func(Frame)) Outcome {
	delta := call.Delta
	call.Delta = func(text string) {
		emit(Frame{Kind: FrameDelta, CallID: call.ID, Text: text})
		if delta != nil {
			delta(text)
		}
	}
	emit(Frame{Kind: FrameStart, CallID: call.ID})
	o := CarryOut(ctx, call, run)
	if len(o.Images) > 0 {
		emit(Frame{Kind: FrameDelta, CallID: call.ID, Images: o.Images})
	}
	emit(Frame{Kind: FrameStop, CallID: call.ID, Status: o.Status})
	emit(Frame{Kind: FrameComplete, CallID: call.ID, Text: o.Text, Images: o.Images, Status: o.Status})
	return o
}
