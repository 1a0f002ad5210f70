// Package backend maps this folder: the library, and the studio built on it. Nothing here knows Wails, and only studio knows
// SQLite. A package imports, of this module, only what stands after its arrow.
//
//	tool                what a tool is: how it is declared, checked, called        →
//	model               the boundary to language models                            → tool
//	model/openai        OpenAI-compatible servers                                  → model tool model/internal internal/names
//	model/scripted      a model that says what it is told                          → model tool model/internal
//	model/internal      what the models share                                      → model tool
//	protocol            the events of a run, their wire and their fold             → model tool
//	approval            calls that wait for a person, and rules in their place     → protocol tool
//	agent               the run loop and its store's seam                          → approval model protocol tool
//	agent/storetest     the test every store passes                                → agent approval model model/scripted protocol tool
//	internal/process    shell commands and their output                            →
//	internal/openapi    OpenAPI documents of routes and Go types                   →
//	internal/names      the names tools have for providers                         →
//	sandbox             where the calls of sandboxed tools run                     → tool sandbox/native sandbox/internal
//	sandbox/internal    what came of a command                                     → tool internal/process
//	sandbox/native      its commands, in the host's shell                          → tool internal/process sandbox/internal
//	sandbox/docker      its commands, in containers                                → tool internal/process sandbox/internal
//	sandbox/wasm        its modules, in WebAssembly                                → tool internal/process
//	toolset/workspace   tools on the files of one folder                           → tool internal/process
//	toolset/memory      tools that keep notes, and their store's test              → tool
//	toolset/scheduler   tools that send messages later, and their store's test     → tool
//	toolset/browser     tools on web pages                                         → tool
//	mcp                 tools of others over MCP, and ours                         → tool internal/process
//	realtime            voice sessions with models over WebSocket                  → tool internal/names
//	keychain            secrets in the system's keychain                           →
//	keychain/keychaintest  a Secret Service for tests                              →
//	redact              what leaves the process, for whom                          → model protocol tool
//	archive             threads as files, without their secrets, as Markdown       → agent approval model protocol redact tool
//	trace               OpenTelemetry spans of runs, turns and calls               → protocol
//	trace/otlp          spans sent to a collector                                  → trace
//	aisdk               the UI message stream of the AI SDK                        → model protocol tool
//	server              agents over HTTP                                           → agent aisdk approval internal/openapi model protocol redact tool
//	server/runtimetest  the test every runtime passes                              → agent approval model model/scripted protocol server tool
//	client              the same seen from the other end                           → agent approval model protocol tool
//	remote              agents of another server, and copies of their runs         → agent approval client model protocol server tool
//	studio              the desktop app without a window                           → agent approval archive client remote mcp model model/openai model/scripted protocol redact server storage tool trace toolset/workspace toolset/memory toolset/scheduler toolset/browser sandbox sandbox/docker sandbox/wasm
//	desktop             a program of the desktop, apart from its window            → agent protocol studio
//	commandline         the program's arguments and environment                    → desktop studio
//	examples            programs a stranger could write                            → agent approval client mcp model model/openai model/scripted protocol server tool sandbox sandbox/docker sandbox/wasm
//	storage             the store in SQLite, a folder beside this one              → agent approval archive model protocol tool toolset/memory toolset/scheduler
//	main                the program, at the top                                    → agent protocol server studio trace trace/otlp commandline keychain desktop
//
// A heavy dependency has one leaf.
//
//	github.com/sashabaranov/go-openai          → model/openai
//	github.com/invopop/jsonschema              → tool
//	github.com/santhosh-tekuri/jsonschema      → tool
//	modernc.org/                               → storage
//	github.com/robfig/                         → toolset/scheduler
//	github.com/chromedp/                       → toolset/browser
//	go.opentelemetry.io/otel/sdk               → trace/otlp
//	go.opentelemetry.io/otel/exporters         → trace/otlp
//	github.com/moby/                           → sandbox/docker
//	github.com/tetratelabs/                    → sandbox/wasm
//	github.com/modelcontextprotocol/           → mcp
//	github.com/coder/websocket                 → realtime
//	github.com/zalando/                        → keychain
//	github.com/wailsapp/                       → main
//
// Comments say where a rule comes from: PROTOCOL.md is in the folder of package protocol; Cogitator is the library whose protocol and
// semantics this one follows; letter and number (C6) name a case that went wrong in programs of this kind, in the tests that cover it.
package backend
