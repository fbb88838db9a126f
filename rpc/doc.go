// Package rpc carries JSON-RPC 2.0 messages between the bridge and its peer:
// framing, ids, cancellation, back-pressure and the end of a connection. It
// refuses to know any method's meaning; a Table tells it which way a method
// travels and where it may run, and that is all.
//
// A message comes in through two goroutines. The reader cuts frames, answers
// what is malformed, looks at $/cancelRequest and at pre-empting methods, and
// puts the rest into a bounded queue. The dispatcher takes them out in wire
// order; it is the read goroutine of a jsonrpc2.Conn, which correlates our
// calls with their answers. Requests do not reach that Conn: it would drop the
// answers of handlers that outlive the input, hang up after a panic, and lend
// handlers a context that is recycled under them.
//
// Everything goes out through a third goroutine, the writer, from two lanes:
// control first, output when nothing else waits.
//
// The reader ends when the input does, the dispatcher when the queue is closed
// and empty, the writer after its last frame or its first error; an Async
// handler has a goroutine until it returns. Close waits for all of them, but
// never longer than it was told to.
package rpc
