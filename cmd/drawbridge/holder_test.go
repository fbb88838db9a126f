package main

// heldEditor is the name under which the test binary is an editor that spawns a
// bridge and waits to be killed.
const heldEditor = "held-editor"

func holdBridge() {}
