// Package scenario runs whole conversations between an editor and a bridge
// from text files: a workspace, a scripted model, scripted commands, one
// transcript of everything both sides said, and the files that must be there
// afterwards. docs/testing.md is the grammar.
//
// It plays the editor over an in-memory pipe and knows the bridge only as
// something that serves one end of it. It has its own framing, its own
// documents and its own idea of positions: a fault that both sides shared
// would stay unseen.
//
// A scenario runs in a bubble of virtual time. Besides the bridge's own
// goroutines there are two for each connection of the editor, a reader and a
// writer, and the one that serves the bridge; all end before Check returns,
// and a goroutine that anybody leaves behind fails the test.
package scenario
