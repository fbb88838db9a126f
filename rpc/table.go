package rpc

// Direction says which end serves a method.
type Direction int

const (
	ToBridge Direction = iota // the editor calls, the bridge serves
	ToEditor                  // the bridge calls, the editor serves
)

func (d Direction) String() string {
	if d == ToEditor {
		return "bridge to editor"
	}
	return "editor to bridge"
}

// Kind tells a request, which is always answered, from a notification, which
// never is.
type Kind int

const (
	Request Kind = iota
	Notification
)

func (k Kind) String() string {
	if k == Notification {
		return "notification"
	}
	return "request"
}

// Policy says where a method runs, and so what may overtake it.
type Policy int

const (
	// InOrder runs on the dispatch goroutine: whatever was sent later waits for
	// it. Its handler must not call the peer, for the answer would wait as well.
	InOrder Policy = iota

	// Async starts in wire order (see Conn.HandleStaged) and then runs on a
	// goroutine of its own.
	Async

	// Preempt is looked at by the reader before it joins the queue (see
	// Conn.HandlePreempt) and is then served like Async.
	Preempt
)

func (p Policy) String() string {
	return [...]string{"in order", "async", "preempt"}[p]
}

// Method is one row of the table: how a method travels, never what it means.
type Method struct {
	Name      string
	Direction Direction
	Kind      Kind
	Policy    Policy
}

// Table holds every method of a wire by name. What it does not hold is not
// served.
type Table map[string]Method
