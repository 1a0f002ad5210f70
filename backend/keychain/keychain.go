// Package keychain keeps secrets in the keychain of the system: the Secret Service of a Linux desktop, the Keychain of macOS, the
// Credential Manager of Windows. It knows nothing of what the secrets are for.
package keychain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// DefaultTimeout is how long a System waits for the keychain, and for the person it may ask for a password.
const DefaultTimeout = 20 * time.Second

// ErrNoAnswer says that the keychain is there and did not answer in time.
var ErrNoAnswer = errors.New("the system's keychain does not answer")

// ErrNone says that the system has no keychain that could be asked.
var ErrNone = errors.New("this system has no keychain that answers")

// System is the keychain of the person who runs the program. It does one thing at a time.
type System struct {
	Service string        // under which the secrets stand there; empty is "Callboard"
	Timeout time.Duration // of each question; 0 is DefaultTimeout

	once sync.Once
	turn chan struct{}
}

// Check asks whether there is a keychain, and asks nobody for a password. It returns ErrNone or ErrNoAnswer.
func (s *System) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	return reachable(ctx)
}

// Get returns the secret of a name; empty when there is none. It returns ErrNone, ErrNoAnswer, or what the keychain says.
func (s *System) Get(ctx context.Context, name string) (secret string, err error) {
	got := make(chan string, 1)
	err = s.ask(ctx, func() error {
		value, err := keyring.Get(s.service(), name)
		got <- value
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read from the keychain: %w", err)
	}
	return <-got, nil
}

// Put keeps a secret under a name, in the place of the one before; an empty one is forgotten. Its errors are Get's.
func (s *System) Put(ctx context.Context, name, secret string) error {
	if secret == "" {
		err := s.ask(ctx, func() error { return keyring.Delete(s.service(), name) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("remove from the keychain: %w", err)
		}
		return nil
	}
	if err := s.ask(ctx, func() error { return keyring.Set(s.service(), name, secret) }); err != nil {
		return fmt.Errorf("write to the keychain: %w", err)
	}
	return nil
}

// ask lets work speak with the keychain and waits for it, within the limit. A keychain that never answers keeps one goroutine, and
// all who ask after it are told so in time.
func (s *System) ask(ctx context.Context, work func() error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	if err := reachable(ctx); err != nil {
		return err
	}
	s.once.Do(func() { s.turn = make(chan struct{}, 1) })
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ErrNoAnswer
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // what it answered was not what the library expects
				done <- fmt.Errorf("%w as it should: %v", ErrNoAnswer, p)
			}
			<-s.turn
		}()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ErrNoAnswer // no way leads back from a question the library asked
	}
}

func (s *System) service() string        { return cmp.Or(s.Service, "Callboard") }
func (s *System) timeout() time.Duration { return cmp.Or(s.Timeout, DefaultTimeout) }
