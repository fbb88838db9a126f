package rpc

// AfterSend is a handler's result with something to do once the answer is
// queued: whatever is sent from then on reaches the peer after the answer.
// queued runs on the handler's goroutine, also when the result could not be
// encoded and an error was answered. It must not block. In a batch the answer
// is queued with the batch's last one.
func AfterSend(result any, queued func()) any { return sent{result, queued} }

type sent struct {
	result any
	queued func()
}

// split takes a result apart from what follows it.
func split(result any) (plain any, queued func()) {
	if s, ok := result.(sent); ok {
		return s.result, s.queued
	}
	return result, func() {}
}
