// Package mcp joins tools to the Model Context Protocol. A Source is another program's server, over stdio or streamable HTTP: each
// tool it lists is a tool.Tool like any other. A Server is the other direction: tools of ours, served to any MCP client.
// It knows nothing of models, agents, storage or the wire of runs.
//
// # What a Source's tools are
//
// A tool is called <source>_<tool>. A source's name holds no "_", so the first one divides the two, and tools of one name on two
// servers keep apart. Its arguments and its structured content are checked against the server's own schemas, which the model sees
// as they are; a tool whose schema does not compile is listed with the reason and not offered, and the others go on.
//
// What a server says of a tool are hints. With readOnlyHint a tool has no side effect, or Network when openWorldHint is true as
// well, and runs unasked. Without it a tool has the side effect External, and Network unless openWorldHint is false, and its calls
// wait for a person. Source.Asks changes who is asked, never the side effects.
//
// # What a call gives
//
// Structured content is the content, where there is any. Otherwise it is the texts, one under the other, and the images between
// them; a result with neither reads "empty result". What a model cannot take (audio, binary resources, other image types) is named
// in the content and whole in the details; so are the images beside structured content. A block whose audience is the user alone
// is in the details only. A result that is an error fails the call with its text.
//
// Progress notifications are updates: one that goes backwards is dropped, and none passes its total. A cancelled or timed out call
// tells the server so. A server that ends fails its calls with what it said last, and the next call starts it again: at once, and
// after several ends in a row with no call answered between them a while later, up to a minute. When a server says that its list
// changed, Source.Tools reads it again. What a server over stdio prints beside its messages goes to its log.
//
// A source offers its server neither roots nor sampling nor elicitation.
//
// # What a Server sends
//
// Content that is an object goes out as structured content, and as JSON text for clients that read only text; images go out as
// images. The output schema is listed where it describes an object. Updates are progress notifications to clients that sent a
// token. Details and presentation stay home, but for the label, which is the tool's title. A call that needs approval is refused
// with a message that says so, or with AskClient put to the person at the client, if it can ask one.
package mcp
