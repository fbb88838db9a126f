package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// place is a directory held open and proved to be the one that was judged. All
// that happens in it goes through the handle, so nobody can lead a write
// elsewhere by replacing a parent with a link after the proof.
type place struct {
	dir  *os.Root
	path string
	made []string // directories made on the way, outermost first
}

// errMoved says that a directory is not the one that was judged.
var errMoved = errors.New("a parent directory was replaced meanwhile")

// The disk holds something else than the change starts from.
var (
	errRaced = errors.New("the file was changed by someone else just now")
	errTaken = errors.New("a file of that name exists by now")
)

// put carries a change out on the disk. With errMoved, errRaced or errTaken the
// disk holds something else than the change starts from. With any error nothing
// has been done. The folder stays locked by turn, so that a change that was
// raced by another process of ours is not raced by it a second time.
func (w *Workspace) put(ctx context.Context, c Change, turn *folderTurn) (note string, err error) {
	at, err := w.openPlace(filepath.Dir(c.Path.Abs), c.Kind == Create)
	if err != nil {
		return "", err
	}
	defer at.close()
	base := filepath.Base(c.Path.Abs)
	switch c.Kind {
	case Create:
		err = at.create(ctx, base, c, turn, w.durable)
		if err != nil {
			w.unmake(at.made)
		}
	case Modify:
		note, err = at.replace(ctx, base, c, turn, w.durable)
	case Delete:
		err = at.remove(ctx, base, c.Before(), turn)
	default:
		err = fmt.Errorf("change of unknown kind %q", c.Kind)
	}
	return note, err
}

// openPlace opens a directory, which it makes if asked to. One inside a root is
// reached through the root, which no link leads out of.
func (w *Workspace) openPlace(path string, make bool) (*place, error) {
	have := path
	for make {
		if _, err := os.Lstat(have); err == nil || filepath.Dir(have) == have {
			break
		}
		have = filepath.Dir(have)
	}
	if info, err := os.Stat(have); err == nil && !info.IsDir() {
		return nil, &FileError{Kind: NotDir}
	}
	dir, err := w.openDir(have)
	if err != nil {
		return nil, err
	}
	at := &place{dir: dir, path: have}
	if err := at.prove(); err != nil {
		at.close()
		return nil, err
	}
	rest := split(strings.TrimPrefix(path, have))
	for _, name := range rest {
		if err := at.descend(name); err != nil {
			w.unmake(at.made)
			at.close()
			return nil, err
		}
	}
	if len(rest) == 0 {
		return at, nil
	}
	if err := at.prove(); err != nil {
		at.close() // what was made is no longer where we made it: leave it
		return nil, err
	}
	return at, nil
}

// openDir opens a directory by way of its root, which is opened anew each time:
// the folder of a workspace can be taken away and made again.
func (w *Workspace) openDir(path string) (*os.Root, error) {
	root, inside := w.rootOf(path)
	if !inside || root == path {
		return os.OpenRoot(path)
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	dir, err := top.OpenRoot(rel)
	if real, linked := canonical(path); err != nil && linked == nil && real != path {
		return nil, errMoved
	}
	return dir, err
}

func (p *place) descend(name string) error {
	err := p.dir.Mkdir(name, 0o777)
	path := filepath.Join(p.path, name)
	if err == nil {
		p.made = append(p.made, path)
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	sub, err := p.dir.OpenRoot(name)
	if err != nil {
		return err
	}
	p.close()
	p.dir, p.path = sub, path
	return nil
}

// prove checks that the path, free of links, names the directory that is open.
// A link put there before and taken away again cannot pass: the handle would
// be of another directory.
func (p *place) prove() error {
	real, err := canonical(p.path)
	if err != nil {
		return err
	}
	named, err := os.Lstat(p.path)
	if err != nil {
		return err
	}
	held, err := p.dir.Stat(".")
	if err != nil {
		return err
	}
	if real != p.path || !os.SameFile(named, held) {
		return errMoved
	}
	return nil
}

func (p *place) close() { p.dir.Close() }

// unmake removes directories made for a file that did not come, outermost
// first in made, unless somebody has put something into them.
func (w *Workspace) unmake(made []string) {
	for _, path := range slices.Backward(made) {
		if w.removeDir(path) != nil {
			return
		}
	}
}

func (w *Workspace) removeDir(path string) error {
	at, err := w.openPlace(filepath.Dir(path), false)
	if err != nil {
		return err
	}
	defer at.close()
	info, err := at.dir.Lstat(filepath.Base(path))
	if err == nil && !info.IsDir() {
		err = errMoved
	}
	if err != nil {
		return err
	}
	return at.dir.Remove(filepath.Base(path))
}

// create makes a file that must not be there yet, with the mode of the change or
// that which the umask leaves.
func (p *place) create(ctx context.Context, base string, c Change, turn *folderTurn, durable bool) error {
	if _, err := p.dir.Lstat(base); err == nil {
		return errTaken
	}
	var looks *dressed
	if c.Mode != 0 {
		looks = &dressed{mode: c.Mode & ModeBits}
	}
	temp, err := p.temp(base, c.After(), looks, durable)
	if err != nil {
		return err
	}
	defer p.dir.Remove(temp)
	if err := turn.take(ctx, p.dir); err != nil {
		return err
	}
	// A link fails where a rename would overwrite what came in between. Some
	// file systems have no links; there the name is looked at once more.
	err = p.dir.Link(temp, base)
	if errors.Is(err, fs.ErrExist) {
		return errTaken
	}
	if err == nil {
		return nil
	}
	if _, err := p.dir.Lstat(base); err == nil {
		return errTaken
	}
	return p.dir.Rename(temp, base)
}

// replace puts a new file in the place of one that holds c.Old. Mode and, as
// far as the system lets us, owner and extended attributes are kept.
//
// Whoever reads the name finds the old file or the new one, whole, also after
// a crash: the new bytes are on the disk before they get the name. Which of
// both is there after a power cut is not said: the directory is not synced,
// and until the system writes it, by its own clock, the name may be the old
// file's again.
//
// Between the last look at the old file and the new one's getting the name is a
// moment in which no other process of this program writes, see folderTurn. What
// any other program writes just then is lost: no system call replaces a file on
// the condition of what it holds. (To exchange the two names and look afterwards
// would find that out, but putting it right would open the same moment again.)
func (p *place) replace(ctx context.Context, base string, c Change, turn *folderTurn, durable bool) (note string, err error) {
	info, err := p.dir.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errRaced
	}
	if err != nil {
		return "", err
	}
	if err := writable(info); err != nil {
		return "", err
	}
	if err := permits(filepath.Join(p.path, base)); err != nil {
		return "", err
	}
	was := &dressed{info: info}
	if was.file, err = p.dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		defer was.file.Close()
	}
	temp, err := p.temp(base, c.After(), was, durable)
	if err != nil {
		return "", err
	}
	defer p.dir.Remove(temp) // after the rename there is none
	if err := turn.take(ctx, p.dir); err != nil {
		return "", err
	}
	if err := p.unchanged(base, c.Before()); err != nil {
		return "", err
	}
	if err := p.dir.Rename(temp, base); err != nil {
		return "", err
	}
	return lines(was.lost, linksNote(info)), nil
}

// dressed is a file whose looks another one takes over.
type dressed struct {
	info os.FileInfo // nil when there is only a mode to take over
	mode fs.FileMode
	file *os.File // nil when it may not be read
	lost string   // what could not be taken over, in words
}

func lines(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "\n")
}

// writable refuses what a replacement would turn into something else, and
// files whose owner has said that they are not to be written.
func writable(info os.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return &FileError{Kind: NotRegular, Detail: kindOfMode(info.Mode())}
	case info.Mode().Perm()&0o222 == 0:
		return &FileError{Kind: ReadOnly, Detail: "its mode is " + info.Mode().Perm().String()}
	}
	return nil
}

func linksNote(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink < 2 {
		return ""
	}
	return fmt.Sprintf("the file had %d names (hard links); only this one has the new content, the others keep the old", st.Nlink)
}

// temp writes text to a new file next to base. like, if not nil, is the file
// whose looks it gets.
func (p *place) temp(base, text string, like *dressed, durable bool) (name string, err error) {
	p.sweep(base)
	name = tempName(base)
	perm := os.FileMode(0o666)
	if like != nil {
		perm = 0o600 // nobody reads it before it has the right mode
	}
	f, err := p.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	err = like.fill(f, text, durable)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		p.dir.Remove(name)
		return "", err
	}
	return name, nil
}

// fill writes text to f and gives it the looks of d, if that is not nil.
func (d *dressed) fill(f *os.File, text string, durable bool) error {
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if d != nil {
		if err := d.dress(f); err != nil {
			return err
		}
	}
	if durable {
		return f.Sync()
	}
	return nil
}

// tempName is hidden, says whose it is, and fits where base fits.
func tempName(base string) string {
	return tempHead(base) + strings.ToLower(rand.Text()[:tempRandom]) + tempTail
}

const (
	tempRandom = 10
	tempTail   = ".tmp"
	// staleTemp is the age at which a temporary file is one that a crash left
	// behind: no commit takes that long.
	staleTemp = 24 * time.Hour
)

func tempHead(base string) string {
	const longest = 200
	if len(base) > longest {
		base = strings.ToValidUTF8(base[:longest], "")
	}
	return "." + base + "."
}

// isTemp reports whether name is one that tempName makes for base.
func isTemp(name, base string) bool {
	name, head := strings.CutPrefix(name, tempHead(base))
	name, tail := strings.CutSuffix(name, tempTail)
	return head && tail && len(name) == tempRandom && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// sweep removes what a process that was killed in the middle of a commit left
// next to base. It looks at maxScanned names at most and at no other file's: a
// stray file lies there until its own name is written again.
func (p *place) sweep(base string) {
	dir, err := p.dir.Open(".")
	if err != nil {
		return // it may be passed but not listed
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxScanned)
	for _, name := range names {
		if !isTemp(name, base) {
			continue
		}
		info, err := p.dir.Lstat(name)
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleTemp {
			p.dir.Remove(name)
		}
	}
}

// dress gives f the owner, mode and attributes of another file. Giving the
// owner can fail, and clears bits, so it goes first. A set-user-id bit is not
// kept: it vouched for the old content. A set-group-id bit is kept if the group
// is.
func (d *dressed) dress(f *os.File) error {
	if d.info == nil {
		return f.Chmod(d.mode)
	}
	mode := d.info.Mode() & (fs.ModePerm | fs.ModeSetgid)
	if !sameOwner(f, d.info) {
		mode &^= fs.ModeSetgid
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if d.file != nil {
		d.lost = keepAttributes(f, d.file)
	}
	return nil
}

// sameOwner gives f the owner and group of another file, as far as that is
// allowed, and reports whether the group is now the same.
func sameOwner(f *os.File, like os.FileInfo) bool {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	have := info.Sys().(*syscall.Stat_t)
	if have.Uid == want.Uid && have.Gid == want.Gid {
		return true
	}
	if f.Chown(int(want.Uid), int(want.Gid)) == nil {
		return true
	}
	return have.Gid == want.Gid || f.Chown(-1, int(want.Gid)) == nil
}

// remove removes a file that holds old.
func (p *place) remove(ctx context.Context, base, old string, turn *folderTurn) error {
	if err := turn.take(ctx, p.dir); err != nil {
		return err
	}
	if err := p.unchanged(base, old); err != nil {
		return err
	}
	return p.dir.Remove(base)
}

// unchanged looks a last time, right before the name changes hands.
func (p *place) unchanged(base, old string) error {
	info, err := p.dir.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) {
		return errRaced
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != int64(len(old)) {
		return errRaced
	}
	f, err := p.dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	same, err := holds(f, old)
	if err == nil && !same {
		return errRaced
	}
	return err
}
