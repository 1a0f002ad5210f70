//go:build linux || freebsd || netbsd || openbsd || dragonfly

package keychain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godbus/dbus/v5"
)

const secretService = "org.freedesktop.secrets"

// reachable asks the session's bus for a Secret Service, one that runs or could be started. Without a bus the library would start
// one, which nobody would ever end.
func reachable(ctx context.Context) error {
	answer := make(chan error, 1)
	go func() { answer <- onBus(ctx) }() // it ends with ctx, but for a moment
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ErrNoAnswer
	}
}

func onBus(ctx context.Context) (err error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("%w: there is no session bus (%w)", ErrNone, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.Auth(nil); err != nil {
		return fmt.Errorf("%w: the session bus refuses (%w)", ErrNone, err)
	}
	if err := conn.Hello(); err != nil {
		return fmt.Errorf("%w: the session bus refuses (%w)", ErrNone, err)
	}
	for _, ask := range []string{"ListNames", "ListActivatableNames"} {
		var names []string
		if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus."+ask, 0).Store(&names); err != nil {
			return fmt.Errorf("%w: the session bus does not answer (%w)", ErrNone, err)
		}
		if slices.Contains(names, secretService) {
			return nil
		}
	}
	return fmt.Errorf("%w: no Secret Service runs in this session", ErrNone)
}
