package desktop

import "strings"

// Menu is a menu of the page, for a system's menu bar: entries in parts.
type Menu struct {
	Name  string        `json:"name"`
	Parts [][]MenuEntry `json:"parts"`
}

// MenuEntry is a command of the page.
type MenuEntry struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Key     string `json:"key"` // as the page writes it: "Ctrl+Shift+O"; empty: none
	Enabled bool   `json:"enabled"`
	Checked *bool  `json:"checked"` // of a choice: whether it stands
}

// modifiers are the names a menu bar has for those of the page.
var modifiers = map[string]string{"ctrl": "cmdorctrl", "alt": "optionoralt", "shift": "shift"}

// Keys returns the entry's key and what is held with it, as a menu bar names them; "" when it has none.
func (e MenuEntry) Keys() (held []string, key string) {
	rest := strings.ToLower(e.Key)
	for {
		name, after, found := strings.Cut(rest, "+")
		modifier, known := modifiers[name]
		if !found || !known || after == "" {
			return held, rest
		}
		held, rest = append(held, modifier), after
	}
}
