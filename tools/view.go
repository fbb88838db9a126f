package tools

import "drawbridge/shell"

// view makes text of a command's output as its terminal shows it, of whatever
// size that is at the time.
type view struct {
	*shell.Screen
	tty        bool
	size       func() (cols, rows uint16)
	cols, rows uint16
}

// newView is the view of a command that begins with the size of its Spec. Its
// size is followed once the process is known; see follow.
func newView(s shell.Spec) *view {
	v := &view{Screen: shell.NewScreen(s.TTY, int(s.Cols)), tty: s.TTY}
	v.fit(s.Cols, s.Rows)
	return v
}

func viewOf(p shell.Process) *view {
	v := newView(p.Spec())
	v.follow(p)
	return v
}

func (v *view) follow(p shell.Process) { v.size = p.Size }

// fresh is another view of the same terminal.
func (v *view) fresh() *view {
	f := newView(shell.Spec{TTY: v.tty, Cols: v.cols, Rows: v.rows})
	f.size = v.size
	return f
}

// Write takes output; see shell.Screen.
func (v *view) Write(p []byte) string {
	if v.size != nil {
		v.fit(v.size())
	}
	return v.Screen.Write(p)
}

func (v *view) fit(cols, rows uint16) {
	if v.tty && (cols != v.cols || rows != v.rows) {
		v.cols, v.rows = cols, rows
		v.Resize(int(cols), int(rows))
	}
}
