package keychain_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/keychain"
	"callboard/backend/keychain/keychaintest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheKeychainOfADesktopKeepsSecrets(t *testing.T) {
	keychaintest.SecretService(t)
	s := &keychain.System{Service: "Callboard test"}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"first", "second \n ü \"'", strings.Repeat("long ", 2000), ""} {
		if err := s.Put(t.Context(), "a/b c", secret); err != nil {
			t.Fatal(err)
		}
		again := &keychain.System{Service: "Callboard test"}
		if got, err := again.Get(t.Context(), "a/b c"); err != nil || got != secret {
			t.Errorf("got %q, %v, want %q", got, err, secret)
		}
	}
	if got, err := s.Get(t.Context(), "never written"); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := s.Put(t.Context(), "never written", ""); err != nil {
		t.Errorf("forgetting what is not there: %v", err)
	}
}

func TestASystemWithoutAKeychainSaysSo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the keychain is a part of this system")
	}
	ask := func(t *testing.T) {
		s := &keychain.System{}
		_, err := s.Get(t.Context(), "x")
		for _, err := range []error{err, s.Check(t.Context()), s.Put(t.Context(), "x", "y"), s.Put(t.Context(), "x", "")} {
			if !errors.Is(err, keychain.ErrNone) {
				t.Errorf("got %v, want ErrNone", err)
			}
		}
	}
	t.Run("with a bus nobody listens at", func(t *testing.T) {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
		ask(t)
	})
	t.Run("with a bus that has no Secret Service", func(t *testing.T) {
		keychaintest.Bus(t)
		ask(t)
	})
}

func TestAKeychainThatIsSilentHoldsNobodyUp(t *testing.T) {
	keychaintest.Silent(t)
	s := &keychain.System{Timeout: 50 * time.Millisecond}
	if err := s.Put(t.Context(), "x", "y"); !errors.Is(err, keychain.ErrNoAnswer) {
		t.Errorf("got %v, want ErrNoAnswer", err)
	}
	for range 2 { // they wait for the first, which never ends
		if _, err := s.Get(t.Context(), "x"); !errors.Is(err, keychain.ErrNoAnswer) {
			t.Errorf("got %v, want ErrNoAnswer", err)
		}
	}
}
