//go:build linux || darwin

package workspace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"drawbridge/workspace"
	"golang.org/x/sys/unix"
)

// setAttribute gives a file an attribute, or skips the test where the file
// system has none.
func (f *fixture) setAttribute(name, attr, value string) {
	f.Helper()
	err := unix.Setxattr(f.abs(name), attr, []byte(value), 0)
	if errors.Is(err, unix.ENOTSUP) {
		f.Skipf("skipped: the file system of %s has no attribute %s", f.root, attr)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// wantAttribute checks an attribute; "" is none.
func (f *fixture) wantAttribute(name, attr, want string) {
	f.Helper()
	buf := make([]byte, 4096)
	n, err := unix.Getxattr(f.abs(name), attr, buf)
	if err != nil {
		n = 0
	}
	if string(buf[:n]) != want {
		f.Errorf("%s of %s is %q, want %q", attr, name, buf[:n], want)
	}
}

// accessList spells a POSIX access list as the kernel keeps it: what owner,
// one more user, group, mask and others may.
func accessList(owner, user, group, mask, other uint16) string {
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) }
	put(uint32(2))
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, owner, ^uint32(0)}, {2, user, 12345}, {4, group, ^uint32(0)}, {0x10, mask, ^uint32(0)}, {0x20, other, ^uint32(0)}} {
		put(e)
	}
	return b.String()
}

func TestExtendedAttributesAreKept(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	long := strings.Repeat("long", 500)
	f.setAttribute("a.txt", "user.origin", "elsewhere")
	f.setAttribute("a.txt", "user.empty", "")
	f.setAttribute("a.txt", "user.long", long)
	out := f.commit(f.plan("a.txt", "x", "y"), all)
	f.wantFile("a.txt", "y\n")
	f.wantAttribute("a.txt", "user.origin", "elsewhere")
	f.wantAttribute("a.txt", "user.long", long)
	if n, err := unix.Getxattr(f.abs("a.txt"), "user.empty", nil); err != nil || n != 0 {
		t.Errorf("the empty attribute is %d bytes, %v", n, err)
	}
	if out.Note != "" {
		t.Errorf("note %q", out.Note)
	}
}

func TestAccessListsAreKept(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: access lists are attributes on Linux only")
	}
	f := newFixture(t)
	f.write("a.txt", "x\n")
	list := accessList(6, 6, 4, 6, 0)
	f.setAttribute("a.txt", "system.posix_acl_access", list)
	f.commit(f.plan("a.txt", "x", "y"), all)
	f.wantAttribute("a.txt", "system.posix_acl_access", list)
	f.wantMode("a.txt", 0o660) // the group bits are the mask
}

// TestADirectorysAccessListOpensNoFile edits a private file in a directory that
// gives new files to one more user.
func TestADirectorysAccessListOpensNoFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: access lists are attributes on Linux only")
	}
	f := newFixture(t)
	f.write("dir/a.txt", "x\n")
	if err := os.Chmod(f.abs("dir/a.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	f.setAttribute("dir", "system.posix_acl_default", accessList(7, 7, 7, 7, 0))
	f.commit(f.plan("dir/a.txt", "x", "y"), all)
	f.wantAttribute("dir/a.txt", "system.posix_acl_access", "")
	f.wantMode("dir/a.txt", 0o640)
	f.commit(workspace.Rewrite(f.read("dir/new.txt"), "new\n"), all)
	if n, err := unix.Getxattr(f.abs("dir/new.txt"), "system.posix_acl_access", nil); err != nil || n == 0 {
		t.Errorf("a new file has not the directory's list: %d, %v", n, err)
	}
}

// TestLostAttributesAreTold writes to a pipe, which can have none.
func TestLostAttributesAreTold(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	f.setAttribute("a.txt", "user.origin", "elsewhere")
	from, err := os.Open(f.abs("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if note := workspace.KeepAttributes(w, from); !strings.HasSuffix(note, "could not all be kept: user.origin") {
		t.Errorf("note %q", note)
	}
}
