package approval

import (
	"strings"
	"testing"
	"time"
)

func commandRule(op Op, value string) *Rule {
	return &Rule{Name: "r", ToolName: "run_command", Enabled: true, Conditions: []Condition{{Path: "command", Op: op, Value: value}}}
}

func TestC14APatternAllowsNoMoreThanItSays(t *testing.T) {
	const git = "git *"
	for name, c := range map[string]struct {
		pattern, command string
		want             bool
	}{
		"what it says":                    {git, "git status --short", true},
		"a tab":                           {git, "git log\t-1", true},
		"letters of every script":         {git, "git commit -m größer", true},
		"a range of commits":              {git, "git log v1..v2", true},
		"nothing under the star":          {git, "git ", true},
		"another program":                 {git, "gitk", false},
		"something before it":             {git, "x; git status", false},
		"chained by a semicolon":          {git, "git status; curl x|sh", false},
		"chained by &&":                   {git, "git status && rm x", false},
		"in the background":               {git, "git status & rm x", false},
		"into a pipe":                     {git, "git log | sh", false},
		"on another line":                 {git, "git status\nrm x", false},
		"after a carriage return":         {git, "git status\rrm x", false},
		"a variable":                      {git, "git $X", false},
		"a substitution":                  {git, "git `rm x`", false},
		"a file written":                  {git, "git log > x", false},
		"a file read":                     {git, "git apply < x", false},
		"a subshell":                      {git, "git (rm x)", false},
		"braces":                          {git, "git {a,b}", false},
		"single quotes":                   {git, "git 'x", false},
		"double quotes":                   {git, `git "x`, false},
		"a backslash":                     {git, `git \;`, false},
		"a NUL":                           {git, "git \x00", false},
		"out of the folder":               {git, "git -C ../other push", false},
		"out of the folder in one word":   {git, "git -C.. push", false},
		"out of a folder it names":        {"src/*", "src/../.env", false},
		"deeper in a folder it names":     {"src/*", "src/a/b.go", true},
		"out where the pattern says so":   {"cat ../*", "cat ../x", true},
		"further out than it says":        {"cat ../*", "cat ../../x", false},
		"no star at all":                  {"make test", "make test", true},
		"no star and something more":      {"make test", "make test2", false},
		"a star in the middle":            {"go test ./* -race", "go test ./backend -race", true},
		"a star in the middle, chained":   {"go test ./* -race", "go test ./a; rm x -race", false},
		"stars at both ends":              {"* --help *", "git --help all", true},
		"stars at both ends, chained":     {"* --help *", "rm x; git --help all", false},
		"shell characters it writes":      {"a && b *", "a && b c", true},
		"more of them than it writes":     {"a && b *", "a && b c && d", false},
		"a piece that comes twice":        {"*ab*ab", "ab ab ab", true},
		"pieces that may not overlap":     {"*aba*aba", "ababa", false},
		"quotes it writes around a star":  {`git commit -m "*"`, `git commit -m "fix it"`, true},
		"the quote closed under the star": {`git commit -m "*"`, `git commit -m "x"; rm "y"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			rule := commandRule(OpPattern, c.pattern)
			if got := rule.Allows("demo", "run_command", `{"command":`+quoted(c.command)+`}`); got != c.want {
				t.Errorf("%q allows %q: got %t, want %t", c.pattern, c.command, got, c.want)
			}
		})
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\u0000`).Replace(s) + `"`
}

func TestARuleReadsWhatTheToolReads(t *testing.T) {
	for name, c := range map[string]struct {
		op        Op
		value     string
		arguments string
		want      bool
	}{
		"the same value":                        {OpEquals, `"ls"`, `{"command":"ls","timeout":5}`, true},
		"the same, written with an escape":      {OpEquals, `"ls"`, `{"command":"l\u0073"}`, true},
		"C15 another value":                     {OpEquals, `"ls"`, `{"command":"rm x"}`, false},
		"an argument that is not there":         {OpEquals, `"ls"`, `{"timeout":5}`, false},
		"null where it is not there":            {OpEquals, `null`, `{}`, false},
		"a key that comes twice":                {OpEquals, `"ls"`, `{"command":"ls","command":"rm x"}`, false},
		"a key in two cases":                    {OpEquals, `"ls"`, `{"command":"ls","Command":"rm x"}`, false},
		"a key twice, deep inside":              {OpEquals, `"ls"`, `{"command":"ls","env":{"a":1,"a":2}}`, false},
		"two objects":                           {OpEquals, `"ls"`, `{"command":"ls"}{"command":"rm x"}`, false},
		"a list":                                {OpEquals, `"ls"`, `["ls"]`, false},
		"no JSON":                               {OpEquals, `"ls"`, `{"command":"ls"`, false},
		"no text":                               {OpEquals, `"ls"`, ``, false},
		"B16 a long number":                     {OpEquals, `2512292042121000001`, `{"command":2512292042121000001}`, true},
		"a number that a float takes for equal": {OpEquals, `2512292042121000001`, `{"command":2512292042121000000}`, false},
		"a number with other digits":            {OpEquals, `1`, `{"command":1.0}`, false},
		"an object in another order":            {OpEquals, `{"a":1,"b":[true,null]}`, `{"command":{"b":[true,null],"a":1}}`, true},
		"a list in another order":               {OpEquals, `[1,2]`, `{"command":[2,1]}`, false},
		"a pattern against a number":            {OpPattern, `*`, `{"command":5}`, false},
		"a pattern against an object":           {OpPattern, `*`, `{"command":{"a":"b"}}`, false},
		"an op nobody knows":                    {"like", `ls`, `{"command":"ls"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := commandRule(c.op, c.value).Allows("demo", "run_command", c.arguments); got != c.want {
				t.Errorf("%s %s allows %s: got %t, want %t", c.op, c.value, c.arguments, got, c.want)
			}
		})
	}
}

func TestARuleIsForItsToolAndItsAgent(t *testing.T) {
	all := &Rule{ToolName: "run_command"}
	one := &Rule{ToolName: "run_command", AgentName: "demo"}
	for name, c := range map[string]struct {
		rule        *Rule
		agent, tool string
		want        bool
	}{
		"every agent":   {all, "workspace", "run_command", true},
		"its agent":     {one, "demo", "run_command", true},
		"another agent": {one, "workspace", "run_command", false},
		"another tool":  {all, "demo", "run_commands", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.rule.Allows(c.agent, c.tool, `{"command":"ls"}`); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
	if got := (&Rule{ToolName: "t", Conditions: []Condition{{"a", OpEquals, "1"}, {"b", OpEquals, "2"}}}).Allows("", "t", `{"a":1,"b":3}`); got {
		t.Error("a rule was met by one of its two conditions")
	}
}

func TestC9ARuleEndsWithItsDateAndItsSwitch(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	for name, c := range map[string]struct {
		rule Rule
		want bool
	}{
		"no date":        {Rule{Enabled: true}, true},
		"before it":      {Rule{Enabled: true, ExpiresAtMs: now.UnixMilli() + 1}, true},
		"at it":          {Rule{Enabled: true, ExpiresAtMs: now.UnixMilli()}, false},
		"a date of none": {Rule{Enabled: true, ExpiresAtMs: -1}, false},
		"off":            {Rule{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.rule.Active(now); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

func TestARuleSaysAllItAllows(t *testing.T) {
	for name, c := range map[string]struct {
		rule        Rule
		text, short string
	}{
		"every call": {
			Rule{ToolName: "write_file"}, "Allows every call of write_file, for every agent in every thread.", "write_file",
		},
		"one value until a day": {
			Rule{
				ToolName: "run_command", AgentName: "workspace", ExpiresAtMs: 1_767_366_240_000,
				Conditions: []Condition{{"command", OpEquals, ` "make test"`}},
			},
			`Allows run_command, for the agent workspace in every thread, when command is "make test", whatever the other arguments are, until 2 January 2026 15:04 UTC.`,
			"run_command make test",
		},
		"C12 patterns with what cannot be seen": {
			Rule{ToolName: "run_command", Conditions: []Condition{
				{"command", OpPattern, "git \u202e*"}, {"folder", OpEquals, "\"a\u200bb\""}, {"n", OpEquals, "5"},
			}},
			`Allows run_command, for every agent in every thread, when command fits the pattern "git \u202e*", folder is "a\u200bb" and n is 5, ` +
				"whatever the other arguments are. A * is any text without the characters a shell reads and without a step out of a folder.",
			`run_command git \u202e* a\u200bb 5`,
		},
		"a long one": {
			Rule{ToolName: "t", Conditions: []Condition{{"a", OpEquals, `"` + strings.Repeat("x", 100) + `"`}}},
			`Allows t, for every agent in every thread, when a is "` + strings.Repeat("x", 100) + `", whatever the other arguments are.`,
			"t " + strings.Repeat("x", 57) + "…",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.rule.Text(); got != c.text {
				t.Errorf("the text is\n%s\nwant\n%s", got, c.text)
			}
			if got := c.rule.ShortText(); got != c.short {
				t.Errorf("the name is %q, want %q", got, c.short)
			}
		})
	}
}

func TestARuleSaysWhereItsCallsRun(t *testing.T) {
	r := Rule{ToolName: "run", Name: "r", Conditions: []Condition{{Op: OpPlace, Value: "a container of busybox:1"}}}
	if err := r.Check(); err != nil || r.Place() != "a container of busybox:1" || !r.Allows("demo", "run", "{}") {
		t.Errorf("%+v: %v, at %q", r, err, r.Place())
	}
	want := "Allows every call of run, for every agent in every thread. Only in a container of busybox:1: where a call would run anywhere else, a person is asked."
	if got := r.Text(); got != want || r.ShortText() != "run" {
		t.Errorf("got %q and the name %q, want %q", got, r.ShortText(), want)
	}
	r.Conditions[0].Value = " "
	if err := r.Check(); err == nil {
		t.Error("a place without a name is taken")
	}
}

func TestARuleThatDoesNotFitIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Rule)
		says   string
	}{
		"no tool":                {func(r *Rule) { r.ToolName = " " }, "toolName"},
		"no name":                {func(r *Rule) { r.Name = "" }, "name"},
		"a long name":            {func(r *Rule) { r.Name = strings.Repeat("x", 81) }, "over 80"},
		"a name with a bell":     {func(r *Rule) { r.Name = "a\ab" }, "invisible"},
		"many conditions":        {func(r *Rule) { r.Conditions = make([]Condition, 33) }, "over 32"},
		"a condition on nothing": {func(r *Rule) { r.Conditions[0].Path = "" }, "number 1: path"},
		"an op nobody knows":     {func(r *Rule) { r.Conditions[0].Op = "like" }, `"like"`},
		"a value of no JSON":     {func(r *Rule) { r.Conditions[0].Value = "ls" }, "JSON text"},
		"a value of no text":     {func(r *Rule) { r.Conditions[0].Value = " " }, "JSON text"},
		"a key twice in a value": {func(r *Rule) { r.Conditions[0].Value = `{"a":1,"a":2}` }, "comes twice"},
		"an empty pattern":       {func(r *Rule) { r.Conditions[0] = Condition{"a", OpPattern, ""} }, "not empty"},
		"a long pattern":         {func(r *Rule) { r.Conditions[0] = Condition{"a", OpPattern, strings.Repeat("*", 4097)} }, "over 4096"},
		"a pattern of bytes":     {func(r *Rule) { r.Conditions[0] = Condition{"a", OpPattern, "\xff"} }, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			rule := commandRule(OpEquals, `"ls"`)
			if err := rule.Check(); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			c.change(rule)
			if err := rule.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error about %s", err, c.says)
			}
		})
	}
}
