package wire

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Some servers close a kept connection without saying so. The next request
// finds that out too late; it is then sent again on a new connection, unseen.
func TestAKeptConnectionThatWasClosedIsNoFailure(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go forgetful(listener) // ends with the listener

	client := &http.Client{Transport: NewTransport()}
	defer client.CloseIdleConnections()
	for i := range 3 {
		req, err := http.NewRequest(http.MethodPost, "http://"+listener.Addr().String(), strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := (&Tap{}).Do(req, client.Do)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// forgetful answers the first request of each connection and hangs up at the
// second.
func forgetful(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		reader := bufio.NewReader(conn)
		if takeRequest(reader) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\nok")
			takeRequest(reader)
		}
		conn.Close()
	}
}

func takeRequest(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, req.Body)
	return true
}
