package names_test

import (
	"regexp"
	"strings"
	"testing"

	"callboard/backend/internal/names"
)

func TestEveryToolGetsItsOwnNameThatAllProvidersTake(t *testing.T) {
	tools := []string{
		"read_file", "files/read", "files.read", "files read", "3d_render", "_3d_render", "-x", "größe", "日本語",
		strings.Repeat("a", names.MaxLength+1), strings.Repeat("a", names.MaxLength+2), "files_read",
	}
	n := names.New(tools)
	taken := map[string]string{}
	for i, wire := range n.Sent() {
		if !regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`).MatchString(wire) {
			t.Errorf("%q is sent as %q, which not all providers take", tools[i], wire)
		}
		if other, ok := taken[wire]; ok {
			t.Errorf("%q and %q are both sent as %q", other, tools[i], wire)
		}
		taken[wire] = tools[i]
		if got := n.FromWire(wire); got != tools[i] {
			t.Errorf("%q is sent as %q and comes back as %q", tools[i], wire, got)
		}
	}
	for _, name := range []string{"read_file", "files_read", "_3d_render"} {
		if got := n.ToWire(name); got != name {
			t.Errorf("%q fits, and is sent as %q", name, got)
		}
	}
	if got := n.Renamed(); len(got) != len(tools) {
		t.Errorf("got %q as renamed, want all that is sent", got)
	}
	if got := names.New([]string{"read_file", "list"}).Renamed(); got != nil {
		t.Errorf("got %q as renamed, want nothing of names that fit", got)
	}
	if got := n.FromWire("nobody"); got != "nobody" {
		t.Errorf("a name that is nobody's comes back as %q", got)
	}
}
