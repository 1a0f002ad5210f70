package tool_test

import (
	"fmt"

	"callboard/backend/tool"
)

type order struct {
	ID string `json:"id"`
}

// orderTools is a tool set: a function that builds tools which belong together.
func orderTools(orders map[string]string) []*tool.Tool {
	return []*tool.Tool{
		tool.Must(tool.Config[order, string]{
			Name: "find_order", Description: "Says where an order is",
			Run: func(_ tool.Context, in order) (string, error) { return orders[in.ID], nil },
		}),
		tool.Must(tool.Config[order, string]{
			Name: "cancel_order", Description: "Cancels an order", Approval: tool.Always,
			Run: func(_ tool.Context, in order) (string, error) {
				delete(orders, in.ID)
				return "cancelled", nil
			},
		}),
	}
}

func ExampleRegistry() {
	var registry tool.Registry
	if err := registry.RegisterMany(orderTools(map[string]string{"A-1": "on its way"})...); err != nil {
		fmt.Println(err)
	}
	fmt.Println(registry.Names())
	fmt.Println(registry.Register(orderTools(nil)[0]))
	// Output:
	// [find_order cancel_order]
	// register tool "find_order": the registry has one of that name; use Named to give it another
}

func ExampleTypeOf() {
	type city struct {
		Name   string `json:"name"`
		People int    `json:"people" jsonschema:"minimum=1"`
	}
	t, err := tool.TypeOf[city]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Decode(`{"name": "Oslo", "people": 717710}`))
	_, err = t.Decode(`{"name": "Atlantis", "people": 0}`)
	fmt.Println(err)
	// Output:
	// {Oslo 717710} <nil>
	// at '/people': minimum: got 0, want 1
}
