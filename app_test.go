//go:build dev || production || bindings

package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"

	"callboard/backend/desktop"
)

func TestTheMenuBarHasThePagesMenusBetweenThoseOfTheSystem(t *testing.T) {
	var menus []desktop.Menu
	page := `[{"name":"File","parts":[[{"id":"new-thread","name":"New thread","key":"Ctrl+Shift+O","enabled":true}],
	           [{"id":"delete","name":"Delete thread","enabled":false}]]},
	          {"name":"View","parts":[[{"id":"theme-dark","name":"Dark theme","enabled":true,"checked":true}]]}]`
	if err := json.Unmarshal([]byte(page), &menus); err != nil {
		t.Fatal(err)
	}
	var chosen []string
	bar := menuBar(menus, func(id string) { chosen = append(chosen, id) })

	var names []string
	for _, m := range bar.Items {
		names = append(names, m.Label)
	}
	roles := []menu.Role{bar.Items[0].Role, bar.Items[2].Role, bar.Items[4].Role}
	if len(names) != 5 || names[1] != "File" || names[3] != "View" ||
		!slices.Equal(roles, []menu.Role{menu.AppMenuRole, menu.EditMenuRole, menu.WindowMenuRole}) {
		t.Fatalf("got menus %q with roles %v; want the program's, File, Edit, View and Window", names, roles)
	}
	file := bar.Items[1].SubMenu.Items
	if len(file) != 3 || file[1].Type != menu.SeparatorType || file[0].Disabled || !file[2].Disabled {
		t.Fatalf("got %+v in File; want an entry, a line and an entry that cannot be chosen", file)
	}
	if a := file[0].Accelerator; a == nil || a.Key != "o" || len(a.Modifiers) != 2 {
		t.Errorf("got key %+v, want Cmd Shift O", a)
	}
	if dark := bar.Items[3].SubMenu.Items[0]; dark.Type != menu.CheckboxType || !dark.Checked {
		t.Errorf("got %+v, want a choice that stands", dark)
	}
	file[0].Click(&menu.CallbackData{MenuItem: file[0]})
	if !slices.Equal(chosen, []string{"new-thread"}) {
		t.Errorf("got %q chosen, want new-thread", chosen)
	}
}

func TestTheMenuBarKnowsTheKeysOfThePage(t *testing.T) {
	table, err := os.ReadFile("frontend/src/state/keyTable.ts")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`keys: \['([^']+)'[^]]*\], place: 'window'`).FindAllStringSubmatch(string(table), -1)
	if len(lines) < 10 {
		t.Fatalf("got %d keys in keyTable.ts, want those of the window", len(lines))
	}
	for _, line := range lines {
		a := menuItem(desktop.MenuEntry{Key: line[1]}, nil).Accelerator
		name := a.Key
		if name == "+" {
			name = "plus" // as Wails writes it
		}
		written := name
		for _, m := range slices.Backward(a.Modifiers) {
			written = string(m) + "+" + written
		}
		if known, err := keys.Parse(written); err != nil || known.Key != a.Key || !slices.Equal(known.Modifiers, a.Modifiers) {
			t.Errorf("%s is %q in a menu bar, which Wails reads as %+v, %v", line[1], written, known, err)
		}
		if want := strings.Count(strings.TrimSuffix(line[1], "+"), "+"); len(a.Modifiers) != want {
			t.Errorf("%s has modifiers %v, want %d", line[1], a.Modifiers, want)
		}
	}
}
