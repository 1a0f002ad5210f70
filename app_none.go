//go:build !dev && !production && !bindings

package main

import (
	"context"
	"io"

	"callboard/backend/commandline"
)

// window says that this program was built without one.
func window(_ context.Context, _ commandline.Options, stderr io.Writer) int {
	say(stderr, "this program was built without a window; `callboard serve` opens the same studio in a browser,\n"+
		"and `make build` builds the one with a window.")
	return exitUsage
}
