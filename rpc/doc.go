// Package rpc carries JSON-RPC 2.0 messages between the bridge and an editor.
package rpc
