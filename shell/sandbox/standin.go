//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A mount needs something to be mounted on, so a protected path that is missing
// gets a stand-in on the disk for as long as a command needs it: an empty
// folder, which git does not see. Stand-ins are shared by commands of several
// bridges: each holds a shared lock on them, and whoever gets the exclusive one
// removes them. The kernel drops the locks of a bridge that is killed; the time
// stamp tells what it left to whoever comes next.

// standInTime is the modification time of a stand-in. Whatever is put into one
// changes it, and then it is nobody's to remove.
var standInTime = time.Unix(946684800, 0)

// standIn is one that is held.
type standIn struct {
	guarded
	dir  folder // that it is in
	lock *os.File
}

// hold has something stand at each path until release is called, and a while
// longer (see letGo). What has come
// to be there by itself stays. An error holds none.
func hold(missing []guarded) (release func(), err error) {
	var held []standIn
	for _, g := range missing {
		s, err := holdOne(g)
		if err != nil {
			releaseAll(held)
			return nil, fmt.Errorf("keep %s from being made: %w", g.path, err)
		}
		if s.lock != nil {
			held = append(held, s)
		}
	}
	return func() { letGo(held) }, nil
}

// holdLimit bounds the wait for another bridge that is making or removing a
// stand-in, which takes it microseconds, or as long as a busy machine lets it wait.
const holdLimit = 3 * time.Second

// errPassing says that a stand-in is just being made or removed.
var errPassing = errors.New("something else is made and removed there all the time")

func holdOne(g guarded) (s standIn, err error) {
	dir, err := g.parent()
	if err != nil {
		return standIn{}, err
	}
	defer func() {
		if s.lock == nil {
			dir.close()
		}
	}()
	for began := time.Now(); time.Since(began) < holdLimit; {
		if err := makeStandIn(dir, g); err != nil && !errors.Is(err, fs.ErrExist) {
			return standIn{}, err
		}
		s, err := lockStandIn(dir, g, unix.LOCK_SH)
		if !errors.Is(err, errPassing) {
			return s, err
		}
		time.Sleep(time.Millisecond)
	}
	return standIn{}, errPassing
}

// makeStandIn makes one unless something is there already.
func makeStandIn(dir folder, g guarded) error {
	if dir.has(g.name()) {
		return fs.ErrExist
	}
	if g.content == nil {
		if err := unix.Mkdirat(dir.fd(), g.name(), 0o755); err != nil {
			return err
		}
		file, err := dir.open(g.name())
		if err != nil {
			return err
		}
		return errors.Join(stamp(file), file.Close())
	}
	fd, err := unix.Openat(dir.fd(), g.name(), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), g.path)
	_, err = file.WriteString(*g.content)
	return errors.Join(err, stamp(file), file.Close())
}

func stamp(file *os.File) error {
	at := unix.NsecToTimeval(standInTime.UnixNano())
	return unix.Futimes(int(file.Fd()), []unix.Timeval{at, at})
}

// lockStandIn locks what stands for g in dir. What is no stand-in needs no lock
// and gives the zero standIn.
func lockStandIn(dir folder, g guarded, how int) (standIn, error) {
	file, err := dir.open(g.name())
	if errors.Is(err, fs.ErrNotExist) {
		return standIn{}, errPassing
	}
	if err != nil {
		return standIn{}, nil // a link, or not ours to read: it is there, and no stand-in
	}
	if !isStandIn(file) {
		defer file.Close()
		return standIn{}, passing(file)
	}
	if err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB); err != nil || !isAt(dir, g.name(), file) {
		file.Close()
		return standIn{}, errPassing
	}
	return standIn{guarded: g, dir: dir, lock: file}, nil
}

// isAt reports whether a file is still what has the name.
func isAt(dir folder, name string, file *os.File) bool {
	var now, own unix.Stat_t
	return unix.Fstatat(dir.fd(), name, &now, unix.AT_SYMLINK_NOFOLLOW) == nil && unix.Fstat(int(file.Fd()), &own) == nil &&
		now.Ino == own.Ino && now.Dev == own.Dev
}

// standInSize bounds the content of one that is a file, in bytes.
const standInSize = 8

func isStandIn(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.ModTime().Unix() == standInTime.Unix() && (info.IsDir() || info.Mode().IsRegular() && info.Size() <= standInSize)
}

// standsIn reports whether what has the name is a stand-in.
func standsIn(dir folder, name string) bool {
	file, err := dir.open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	return isStandIn(file)
}

// makingTime is more than a bridge needs to put the time stamp on a stand-in.
const makingTime = time.Second

// passing is errPassing for what may be a stand-in without its time stamp yet.
func passing(file *os.File) error {
	info, err := file.Stat()
	if err != nil || time.Since(info.ModTime()).Abs() >= makingTime {
		return nil
	}
	if _, err := file.Readdirnames(1); info.IsDir() && !errors.Is(err, io.EOF) || info.Mode().IsRegular() && info.Size() > standInSize {
		return nil // there is something in it
	}
	return errPassing
}

// release removes it unless another command still needs it or something was put
// there. Removing a folder fails when there is something in it.
func (s standIn) release() {
	defer s.dir.close()
	defer s.lock.Close()
	if unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !isStandIn(s.lock) || !isAt(s.dir, s.name(), s.lock) {
		return
	}
	flags := 0
	if info, err := s.lock.Stat(); err == nil && info.IsDir() {
		flags = unix.AT_REMOVEDIR
	}
	_ = unix.Unlinkat(s.dir.fd(), s.name(), flags)
}

// sweep removes the stand-ins that a killed bridge left in a root in the place
// of missing protected paths.
func sweep(root string, guards []guarded) {
	for _, g := range guards {
		g.root = root
		dir, err := g.parent()
		if err != nil {
			continue
		}
		if s, err := lockStandIn(dir, g, unix.LOCK_EX); err == nil && s.lock != nil {
			s.release()
			continue
		}
		dir.close()
	}
}
