package main

import (
	"fmt"
	"os"

	"drawbridge/rpc/protocol"
)

func runProtocol(args []string) int {
	fs := newFlags("protocol", "", "Prints the JSON Schema of the wire that this program speaks.")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("protocol takes no argument %q", rest[0]))
	}
	if _, err := os.Stdout.Write(protocol.SchemaJSON()); err != nil {
		return fail(err)
	}
	return 0
}
