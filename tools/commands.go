package tools

// Commands are a session's commands by process id: those that run in the
// background, and those whose ends have not been told yet. Safe for concurrent
// use.
type Commands struct{}
