// Package rpc carries JSON-RPC 2.0 messages between the bridge and its peer:
// framing, ids, cancellation, back-pressure and the end of a connection. It
// refuses to know any method's meaning; a Table tells it which way a method
// travels and where it may run, and that is all.
//
// A message comes in through two goroutines. The reader cuts frames, answers
// what is malformed, looks at $/cancelRequest and at pre-empting methods, and
// puts the rest into a bounded queue. The dispatcher takes it out in wire
// order. Everything goes out through a third goroutine, the writer, from two
// lanes: control first, output when nothing else waits.
//
// Envelopes, ids and wire errors are those of go.lsp.dev/jsonrpc2; its Conn is
// not used. It hangs up without a word after a malformed message, a panic or a
// notification's error, drops the answers of handlers that outlive the input,
// lends handlers a context that is recycled under them, lets a slow peer block
// its senders, and shares channels between connections, which forbids tests in
// virtual time.
//
// The reader ends when the input does, the dispatcher when the queue is closed
// and empty, the writer after its last frame or its first error; an Async
// handler has a goroutine until it returns. Close waits for all of them, but
// never much longer than it was told to.
package rpc
