package browser_test

import (
	"fmt"

	"callboard/backend/toolset/browser"
)

// The tools share a browser, which is started by the first page that is opened. It may reach the public net and, here, a server of
// one's own.
func Example() {
	b := browser.New(browser.Options{Allow: browser.Hosts("localhost:3000")})
	defer b.Close()
	tools, err := b.Tools()
	if err != nil {
		panic(err)
	}
	for _, t := range tools {
		fmt.Println(t.Name, t.SideEffects, t.NeedsApproval("{}"))
	}
	fmt.Println("runs:", b.Running())
	// Output:
	// browser_open [network external] true
	// browser_click [network external] true
	// browser_type [network external] true
	// browser_read [network] false
	// browser_screenshot [network] false
	// runs: false
}
