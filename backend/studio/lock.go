package studio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse says another process has the data folder open.
var ErrInUse = errors.New("in use by another Callboard")

// InUse returns an ErrInUse that names the process, when another one has the data folder open.
func InUse(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "lock")); err == nil {
		l, err := lock(dir)
		if errors.Is(err, ErrInUse) {
			return err
		}
		if err == nil {
			_ = l.Unlock() // it was taken only to see
		}
	}
	return nil // what else is wrong is said when it is opened
}

// lock takes the data folder for this process. The system lets go of it when the process ends, however it ends.
func lock(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, "lock")
	l := flock.New(path, flock.SetPermissions(0o600))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder %s: %w", dir, err)
	}
	if !held {
		return nil, fmt.Errorf("the data folder %s is %w%s: quit that one, or choose another folder with --data", dir, ErrInUse, holder(path))
	}
	// Where a lock keeps others from reading the file, the number is only missing from their message.
	_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
	return l, nil
}

// holder names the process that holds a lock, where it can be read.
func holder(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
