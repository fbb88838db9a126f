package workspace_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/workspace"
)

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// lockFolder is another process's turn in the root.
func (f *fixture) lockFolder() (release func()) {
	f.Helper()
	dir, err := os.Open(f.root)
	if err != nil {
		f.Fatal(err)
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		f.Fatal(err)
	}
	return func() { dir.Close() }
}

// inTheirTurn commits c while another process has its turn in the folder. That
// does something before it ends it.
func (f *fixture) inTheirTurn(c workspace.Change, theirs func()) workspace.Outcome {
	f.Helper()
	release := f.lockFolder()
	kept, done := make(chan struct{}, 100), make(chan workspace.Outcome)
	go func() {
		out, err := f.ws.Commit(context.Background(), c, workspace.Acceptance{All: true, Keep: func(workspace.Content) error {
			kept <- struct{}{}
			return nil
		}})
		if err != nil {
			f.Error(err)
		}
		done <- out
	}()
	<-kept // it has looked at the file
	select {
	case <-done:
		f.Error("the change did not wait for its turn")
	case <-time.After(50 * time.Millisecond):
	}
	theirs()
	release()
	return <-done
}

func TestWhatAnotherProcessWritesInItsTurnIsNotLost(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	f.wantState(f.inTheirTurn(f.plan("a.txt", "10", "ten"), func() {
		f.write("a.txt", strings.Replace(tenLines, "1\n", "one\n", 1))
	}), workspace.Applied)
	f.wantFile("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")
	f.wantNames(".", "a.txt")
}

func TestTheSameLineOfAnotherProcessIsNotWrittenOver(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	out := f.inTheirTurn(f.plan("a.txt", "10", "ten"), func() { f.write("a.txt", strings.Replace(tenLines, "10", "X", 1)) })
	f.wantState(out, workspace.Stale)
	if !strings.Contains(out.Why, "+X") {
		t.Errorf("it does not say what was changed: %s", out.Why)
	}
	f.wantFile("a.txt", strings.Replace(tenLines, "10", "X", 1))
}

func TestAFileThatAnotherProcessChangesInItsTurnIsNotRemoved(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	f.wantState(f.inTheirTurn(workspace.Remove(f.read("a.txt")), func() { f.write("a.txt", "theirs\n") }), workspace.Stale)
	f.wantFile("a.txt", "theirs\n")
}

func TestAFileThatAnotherProcessMakesInItsTurnStays(t *testing.T) {
	f := newFixture(t)
	c := workspace.Rewrite(f.read("a.txt"), "ours\n")
	f.wantState(f.inTheirTurn(c, func() { f.write("a.txt", "theirs\n") }), workspace.Stale)
	f.wantFile("a.txt", "theirs\n")
}

func TestAMoveWaitsForTheTurn(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "old\n")
	release := f.lockFolder()
	done := make(chan error)
	go func() { done <- f.ws.Move(context.Background(), f.resolve("a.txt"), f.resolve("b.txt"), "old\n") }()
	select {
	case <-done:
		t.Error("the move did not wait for its turn")
	case <-time.After(50 * time.Millisecond):
	}
	f.write("a.txt", "theirs\n")
	release()
	if err := <-done; err == nil {
		t.Error("what another process wrote was moved")
	}
	f.wantFile("a.txt", "theirs\n")
}

func TestTheWaitForATurnEndsWithTheContext(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	c := f.plan("a.txt", "10", "ten")
	defer f.lockFolder()()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := f.ws.Commit(ctx, c, all); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("commit: %v", err)
	}
	f.wantFile("a.txt", tenLines)
	f.wantNames(".", "a.txt")
}

// A program that is not ours may write at any time. Its lines and ours stand,
// however often it has been there first.
func TestAFileThatIsWrittenAgainAndAgain(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	text, tries := tenLines, 0
	out, err := f.ws.Commit(t.Context(), f.plan("a.txt", "10", "ten"), workspace.Acceptance{All: true, Keep: func(workspace.Content) error {
		if tries++; tries <= 10 {
			text = "0\n" + text
			f.write("a.txt", text)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.wantState(out, workspace.Applied)
	f.wantFile("a.txt", strings.Replace(text, "10", "ten", 1))
	f.wantNames(".", "a.txt")
}

// It does not go on for ever.
func TestAFileThatNeverRests(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", tenLines)
	text := tenLines
	out, err := f.ws.Commit(t.Context(), f.plan("a.txt", "10", "ten"), workspace.Acceptance{All: true, Keep: func(workspace.Content) error {
		text = "0\n" + text
		f.write("a.txt", text)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.wantState(out, workspace.Stale)
	f.wantFile("a.txt", text)
	f.wantNames(".", "a.txt")
}
