// Command notifyd is the notifications of a desktop for a test: it prints each one's title and
// text on a line, and presses the last one for each line it reads.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
)

const (
	name = "org.freedesktop.Notifications"
	path = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// desktop answers for the notifications of a session.
type desktop struct{ shown atomic.Uint32 }

// Notify shows a notification and returns its number.
func (d *desktop) Notify(_ string, _ uint32, _, title, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	id := d.shown.Add(1)
	fmt.Printf("%s: %s\n", title, body)
	return id, nil
}

// CloseNotification takes one away.
func (d *desktop) CloseNotification(uint32) *dbus.Error { return nil }

// GetCapabilities says what it can show.
func (d *desktop) GetCapabilities() ([]string, *dbus.Error) { return []string{"actions", "body"}, nil }

func run() error {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return fmt.Errorf("connect to the session's bus: %w", err)
	}
	defer func() { _ = conn.Close() }() // it ends with the program
	d := &desktop{}
	if err := conn.Export(d, path, name); err != nil {
		return fmt.Errorf("export the notifications: %w", err)
	}
	if _, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil {
		return fmt.Errorf("take the name %s: %w", name, err)
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := conn.Emit(path, name+".ActionInvoked", d.shown.Load(), "default"); err != nil {
			return fmt.Errorf("press a notification: %w", err)
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
