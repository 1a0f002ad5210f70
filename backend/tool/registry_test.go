package tool_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"callboard/backend/tool"
)

func named(name string) *tool.Tool {
	return tool.Must(tool.Config[struct{}, string]{
		Name: name, Description: "is called " + name,
		Run: func(tool.Context, struct{}) (string, error) { return name, nil },
	})
}

func TestARegistryKeepsToolsInTheirOrder(t *testing.T) {
	var r tool.Registry
	if len(r.All())+len(r.Names())+len(r.Schemas()) != 0 || r.Has("a") {
		t.Error("an empty registry has tools")
	}
	b := named("b")
	if err := r.Register(b); err != nil {
		t.Fatal(err)
	}
	if err := r.RegisterMany(named("a"), named("c")); err != nil {
		t.Fatal(err)
	}
	if got := r.Names(); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("got the names %q, want b a c", got)
	}
	if got, ok := r.Get("b"); !ok || got != b {
		t.Errorf("got %v %v, want the tool itself", got, ok)
	}
	if got := r.Schemas(); len(got) != 3 || got[2].Description != "is called c" {
		t.Errorf("got the schemas %v", got)
	}
	all := r.All()
	all[0] = nil
	if r.All()[0] != b {
		t.Error("a caller can change the registry through what All returns")
	}
	r.Clear()
	if r.Has("b") || len(r.All()) != 0 || len(r.Schemas()) != 0 {
		t.Error("a cleared registry has tools")
	}
	if err := r.Register(named("b")); err != nil {
		t.Errorf("got %v, want a cleared registry to take the name again", err)
	}
}

func TestARegistryRefusesWhatItCannotTellApart(t *testing.T) {
	for name, c := range map[string]struct {
		tools []*tool.Tool
		want  string
	}{
		"a name that is taken":    {[]*tool.Tool{named("new"), named("old")}, `"old"`},
		"a name twice in one set": {[]*tool.Tool{named("new"), named("new")}, `"new": it comes twice`},
		"no tool":                 {[]*tool.Tool{named("new"), nil}, "tool 2 of 2 is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			var r tool.Registry
			if err := r.Register(named("old")); err != nil {
				t.Fatal(err)
			}
			err := r.RegisterMany(c.tools...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s in it", err, c.want)
			}
			if r.Has("new") {
				t.Error("a set that was refused is there in part")
			}
		})
	}
	var none *tool.Registry
	if none.Has("a") || none.All() != nil || none.Names() != nil || none.Schemas() != nil {
		t.Error("no registry has tools")
	}
	none.Clear()
	if err := none.Register(named("a")); err == nil {
		t.Error("no registry took a tool")
	}
}

func TestARegistryIsSafeForConcurrentUse(t *testing.T) {
	var r tool.Registry
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 50 {
				if err := r.Register(named(fmt.Sprintf("t%d_%d", i, k))); err != nil {
					t.Error(err)
				}
				r.Schemas()
				r.Get("t0_0")
				r.All()
			}
		})
	}
	wg.Wait()
	if got := len(r.Schemas()); got != 400 {
		t.Errorf("got %d schemas, want 400", got)
	}
}

func TestARegistryIsReplacedWholeOrNotAtAll(t *testing.T) {
	a, b := define(t, tool.Config[none, string]{Name: "a", Run: func(tool.Context, none) (string, error) { return "", nil }}), define(t, tool.Config[none, string]{Name: "b", Run: func(tool.Context, none) (string, error) { return "", nil }})
	var r tool.Registry
	if err := r.Replace(a); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(b, b); err == nil || !r.Has("a") || r.Has("b") {
		t.Errorf("got %v and %v, want one name twice refused and nothing changed", err, r.Names())
	}
	if err := r.Replace(b); err != nil || r.Has("a") || !r.Has("b") || len(r.Schemas()) != 1 || r.Schemas()[0].Name != "b" {
		t.Errorf("got %v and %v, want b alone", err, r.Names())
	}
}
