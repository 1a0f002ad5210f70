//go:build !linux

package desktop

import (
	"context"
	"errors"
)

// HandOver gives a link or a file to the window that runs under an id. Here Wails does that itself: it returns an error always.
func HandOver(context.Context, string, string) error { return errors.ErrUnsupported }
