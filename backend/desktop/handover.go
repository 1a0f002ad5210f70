package desktop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// handOverTimeout is how long a window gets to take what it is handed, and a second start to hand it over.
const handOverTimeout = 5 * time.Second

// handed is what a second start says, and the window says again once it has it.
type handed struct {
	Open string `json:"open"` // a link or the absolute path of a file; empty is nothing
}

// door is where the window of a data folder listens. It needs no session bus: many desktops over the network, and some containers,
// have none.
func door(dataDir string) string { return filepath.Join(dataDir, "window.sock") }

// HandOver gives a link or a file, or nothing, to the window that is open on a data folder, which then comes to the front. It returns
// an error when no window takes it.
func HandOver(ctx context.Context, dataDir, text string) error {
	conn, err := (&net.Dialer{Timeout: handOverTimeout}).DialContext(ctx, "unix", door(dataDir))
	if err != nil {
		return fmt.Errorf("hand over to the open window: %w", err)
	}
	defer func() { _ = conn.Close() }() // all that was to be said was said
	err = conn.SetDeadline(time.Now().Add(handOverTimeout))
	if err == nil {
		err = json.NewEncoder(conn).Encode(handed{text})
	}
	var taken handed
	if err == nil {
		err = json.NewDecoder(conn).Decode(&taken)
	}
	if err == nil && taken.Open != text {
		err = errors.New("it took something else")
	}
	if err != nil {
		return fmt.Errorf("hand over to the open window: %w", err)
	}
	return nil
}

// Door is where a window takes what second starts hand over.
type Door struct {
	listener net.Listener
	take     func(text string)
	open     sync.WaitGroup
}

// OpenDoor lets the window of a data folder take links and files, and nothing, from second starts, until Close. take is called with
// one after the other.
func OpenDoor(ctx context.Context, dataDir string, take func(text string)) (*Door, error) {
	if err := HandOver(ctx, dataDir, ""); err == nil {
		return nil, errors.New("listen for second starts: another window does")
	}
	err := os.MkdirAll(dataDir, 0o700)
	if err == nil {
		err = os.Remove(door(dataDir)) // of a window that was killed
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("listen for second starts: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", door(dataDir))
	if err != nil {
		return nil, fmt.Errorf("listen for second starts: %w", err)
	}
	d := &Door{listener: listener, take: take}
	d.open.Go(d.serve)
	return d, nil
}

func (d *Door) serve() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return // it was closed
		}
		d.answer(conn)
	}
}

// answer takes what one start hands over. What is not understood is no start of this program.
func (d *Door) answer(conn net.Conn) {
	defer func() { _ = conn.Close() }() // it says itself whether it was answered
	if conn.SetDeadline(time.Now().Add(handOverTimeout)) != nil {
		return
	}
	var in handed
	if json.NewDecoder(io.LimitReader(conn, 64<<10)).Decode(&in) != nil {
		return
	}
	d.take(in.Open)
	_ = json.NewEncoder(conn).Encode(in) // who left without an answer hears none
}

// Close takes nothing more. It returns once what was being taken is. A nil door is closed.
func (d *Door) Close() {
	if d != nil {
		_ = d.listener.Close() // what is left behind is removed by the next window
		d.open.Wait()
	}
}
