package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/tool"
)

const (
	question     = "approval" // the id of what a client is asked
	maxShown     = 20_000     // bytes of arguments put before a person; more of them are not to be judged
	maxPreview   = 4_000      // bytes of a preview
	nothingAsked = `{"type":"object","properties":{}}`
)

// approve says whether a call that needs a person may run: nothing, an answer that asks the client, or why not.
func (s *Server) approve(c tool.Context, prepared *tool.Call, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name, arguments := prepared.Tool.Name, string(request.Params.Arguments)
	denied := func(why string) error {
		return &tool.Error{Code: tool.CodeDenied, Message: fmt.Sprintf("Tool %q was not run: %s", name, why)}
	}
	if s.Approval != AskClient {
		return nil, denied("a call of it needs a person's approval, and this server has nobody to ask")
	}
	if !canAsk(request.Session) {
		return nil, denied("a call of it needs a person's approval, and this client cannot ask one (it has no elicitation)")
	}
	if len(arguments) > maxShown {
		return nil, denied("a call of it needs a person's approval, and its arguments are too long to be shown to one")
	}
	signed := s.sign(name, arguments)
	answer, ok := request.Params.InputResponses[question].(*sdk.ElicitResult)
	if !ok {
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{question: &sdk.ElicitParams{
				Mode: "form", Message: asking(c, prepared, arguments), RequestedSchema: json.RawMessage(nothingAsked),
			}},
			RequestState: signed,
		}, nil
	}
	switch {
	case !hmac.Equal([]byte(request.Params.RequestState), []byte(signed)):
		return nil, denied("it is not the call the person was asked about")
	case answer.Action == "cancel":
		return nil, denied("the person turned away without an answer")
	case answer.Action != "accept":
		return nil, denied("the person said no")
	}
	return nil, nil
}

func canAsk(session *sdk.ServerSession) bool {
	p := session.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// sign binds an answer to what was shown: the arguments that run are those.
func (s *Server) sign(name, arguments string) string {
	h := hmac.New(sha256.New, s.key)
	_, _ = fmt.Fprintf(h, "%q %q", name, arguments) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// asking is what the person reads.
func asking(c tool.Context, prepared *tool.Call, arguments string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run the tool %q with these arguments?\n%s", prepared.Tool.Name, visible(arguments))
	if effects := prepared.Tool.SideEffects; len(effects) > 0 {
		b.WriteString("\nIt may touch: ")
		for i, effect := range effects {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(string(effect))
		}
	}
	preview, err := prepared.Preview(c)
	switch {
	case err != nil:
		fmt.Fprintf(&b, "\nWhat it would do cannot be shown: %v", err)
	case len(preview) > maxPreview:
		b.WriteString("\nWhat it would do is too long to be shown.")
	case preview != nil:
		fmt.Fprintf(&b, "\nIt would do: %s", visible(string(preview)))
	}
	return b.String()
}

// visible writes out the characters that hide or reorder others. In a JSON text they stand in strings, where this changes nothing.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
