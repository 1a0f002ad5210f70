package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// handOverTimeout is how long a window gets to take what it is handed.
const handOverTimeout = 5 * time.Second

// HandOver gives a link or a file, or nothing, to the window that runs under an id, which then comes to the front. It speaks as
// Wails does between two starts of a program; Wails itself would end the second one with a failure, and xdg-open then looks for
// another program to open the link with.
// It returns an error when no such window takes it.
func HandOver(ctx context.Context, id, text string) error {
	ctx, cancel := context.WithTimeout(ctx, handOverTimeout)
	defer cancel()
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("hand over to the open window: %w", err)
	}
	defer func() { _ = conn.Close() }() // all that was to be said was said
	message := struct{ Args []string }{[]string{}}
	if text != "" {
		message.Args = append(message.Args, text)
	}
	content, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("hand over to the open window: %w", err)
	}
	name := "wails_app_" + strings.NewReplacer("-", "_", ".", "_").Replace(id)
	window := conn.Object("org."+name+".SingleInstance", dbus.ObjectPath("/org/"+name+"/SingleInstance"))
	// Without this flag the bus would look for a program to start in the window's place.
	call := window.CallWithContext(ctx, "org."+name+".SingleInstance.SendMessage", dbus.FlagNoAutoStart, string(content))
	if call.Err != nil {
		return fmt.Errorf("hand over to the open window: %w", call.Err)
	}
	return nil
}
