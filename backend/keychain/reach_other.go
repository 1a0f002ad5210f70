//go:build !(linux || freebsd || netbsd || openbsd || dragonfly)

package keychain

import "context"

// reachable is always so: the keychain is a part of the system.
func reachable(context.Context) error { return nil }
