package workspace_test

import (
	"os"
	"testing"
	"time"
)

// TestWhatACrashLeftIsSwept looks at names like those of temporary files: only
// what is surely a stray of this very file goes, and only when it is old.
func TestWhatACrashLeftIsSwept(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	old := time.Now().Add(-25 * time.Hour)
	for name, when := range map[string]time.Time{
		".a.txt.abcdefghi2.tmp":   old,
		".a.txt.abcdefghi3.tmp":   time.Now(), // another commit's, under way
		".a.txt.abcdefghi.tmp":    old,        // too short to be ours
		".a.txt.abcdefgHI2.tmp":   old,
		".b.txt.abcdefghi2.tmp":   old,
		".a.txt.abcdefghi2.tmp.x": old,
	} {
		f.write(name, "")
		if err := os.Chtimes(f.abs(name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(f.abs(".a.txt.abcdefghi4.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(f.abs(".a.txt.abcdefghi4.tmp"), old, old); err != nil {
		t.Fatal(err)
	}
	f.commit(f.plan("a.txt", "x", "y"), all)
	f.wantNames(".", ".a.txt.abcdefgHI2.tmp", ".a.txt.abcdefghi.tmp", ".a.txt.abcdefghi2.tmp.x",
		".a.txt.abcdefghi3.tmp", ".a.txt.abcdefghi4.tmp", ".b.txt.abcdefghi2.tmp", "a.txt")
}
