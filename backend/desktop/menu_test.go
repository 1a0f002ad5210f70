package desktop

import (
	"strings"
	"testing"
)

func TestKeysOfAMenuEntry(t *testing.T) {
	for key, want := range map[string]string{
		"":             " ",
		"F10":          " f10",
		"Ctrl+K":       "cmdorctrl k",
		"Ctrl+Shift+O": "cmdorctrl shift o",
		"Ctrl++":       "cmdorctrl +",
		"Ctrl+-":       "cmdorctrl -",
		"+":            " +",
	} {
		t.Run(key, func(t *testing.T) {
			held, name := MenuEntry{Key: key}.Keys()
			if got := strings.Join(held, " ") + " " + name; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
