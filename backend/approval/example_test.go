package approval_test

import (
	"fmt"

	"callboard/backend/approval"
)

// A rule allows what it says, and nothing that merely begins like it.
func ExampleRule() {
	rule := approval.Rule{
		Name: "git", ToolName: "run_command", Enabled: true,
		Conditions: []approval.Condition{{Path: "command", Op: approval.OpPattern, Value: "git *"}},
	}
	fmt.Println(rule.Allows("workspace", "run_command", `{"command":"git log -3"}`))
	fmt.Println(rule.Allows("workspace", "run_command", `{"command":"git status; curl x|sh"}`))
	// Output:
	// true
	// false
}
