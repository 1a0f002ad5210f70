package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/tool"
)

// maxTools is how many tools one server may list.
const maxTools = 10_000

// listed is a tool as it comes from a server.
type listed struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  hints           `json:"annotations"`
}

// hints are what a server says of a tool; nil is nothing said.
type hints struct {
	Title           string `json:"title"`
	ReadOnlyHint    bool   `json:"readOnlyHint"`
	DestructiveHint *bool  `json:"destructiveHint"`
	OpenWorldHint   *bool  `json:"openWorldHint"`
}

// list reads all pages of a server's list.
func (s *Source) list(ctx context.Context, session *sdk.ClientSession) ([]Offer, error) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil
	}
	var offers []Offer
	seen, cursors := map[string]bool{}, map[string]bool{}
	for cursor := ""; ; {
		ctx, caught := withSlot(ctx)
		decoded, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil && !caught.caught() { // one tool that does not decode must not cost the others
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		page, err := readPage(caught, decoded)
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		for _, text := range page.Tools {
			offers = append(offers, s.offer(text, seen))
		}
		cursor = page.NextCursor
		switch {
		case cursor == "":
			return offers, nil
		case cursors[cursor]:
			return nil, fmt.Errorf("list its tools: the page %q comes twice", cursor)
		case len(offers) > maxTools:
			return nil, fmt.Errorf("list its tools: there are over %d", maxTools)
		}
		cursors[cursor] = true
	}
}

type page struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"`
}

func readPage(caught *slot, decoded *sdk.ListToolsResult) (p page, err error) {
	text, err := caught.or(decoded)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// relist reads the list again where the server said it changed, or at any rate.
func (s *Source) relist(ctx context.Context, l *link, always bool) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.mu.Lock()
	stale := s.stale || always
	s.stale = false // what changes while the list is read counts again
	s.mu.Unlock()
	if !stale {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.StartTimeout, DefaultStartTimeout))
	defer cancel()
	offers, err := s.list(ctx, l.session)
	s.mu.Lock()
	if err == nil {
		s.offers = offers
	} else {
		s.stale = true
	}
	s.mu.Unlock()
	if err != nil {
		return s.explain("did not list its tools again", err)
	}
	s.changed()
	return nil
}

// listChanged reads the list again, so that who hears of the change finds the new one.
func (s *Source) listChanged(session *sdk.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if l := s.link; l != nil && l.session == session && !s.closed {
		s.listAnew(l)
	}
}

// listAnew reads the list again behind what goes on. s.mu is held, and the source is open.
func (s *Source) listAnew(l *link) {
	s.wg.Go(func() {
		if err := s.relist(s.life, l, false); err != nil && s.life.Err() == nil {
			s.logger().Warn("an MCP server's tools may be others by now", "server", s.Name, "error", err)
		}
	})
}

// offer makes a tool of a listed one, or says why it cannot.
func (s *Source) offer(text json.RawMessage, seen map[string]bool) Offer {
	var l listed
	if err := json.Unmarshal(text, &l); err != nil {
		return Offer{Name: l.Name, Description: l.Description, Err: fmt.Errorf("it is listed in a way that cannot be read: %w", err)}
	}
	o := Offer{Name: l.Name, Description: l.Description}
	if !isAbsent(l.InputSchema) {
		o.Parameters = l.InputSchema
	}
	switch {
	case l.Name == "":
		o.Err = errors.New("it has no name")
	case seen[l.Name]:
		o.Err = errors.New("another tool of this server has its name")
	case o.Parameters == nil:
		o.Err, o.Unchecked = errors.New("it has no input schema"), s.unchecked(l)
	default:
		seen[l.Name] = true
		if o.Tool, o.Err = s.define(&l); o.Err != nil {
			o.Unchecked = s.unchecked(l)
		}
	}
	return o
}

// unchecked makes a tool of which the schemas are left out.
func (s *Source) unchecked(l listed) *tool.Tool {
	l.InputSchema, l.OutputSchema = json.RawMessage(`{"type":"object"}`), nil
	t, err := s.define(&l)
	if err != nil {
		return nil // it is more than the schemas; Err says what
	}
	return t
}

func isAbsent(schema json.RawMessage) bool { return len(schema) == 0 || string(schema) == "null" }

func (s *Source) define(l *listed) (*tool.Tool, error) {
	name, title := l.Name, cmp.Or(l.Title, l.Annotations.Title, l.Name)
	shown := tool.Presentation{Label: title, Icon: "plug", Detail: s.Name}
	c := tool.Config[json.RawMessage, any]{
		Name: s.toolName(name), Description: cmp.Or(l.Description, l.Title, l.Annotations.Title), Category: "mcp", Tags: []string{s.Name},
		SideEffects: l.Annotations.sideEffects(), Timeout: s.callTimeout(), Parameters: l.InputSchema, Presentation: &shown,
		Run: func(ctx tool.Context, arguments json.RawMessage) (any, error) {
			return s.call(ctx, name, arguments, shown)
		},
	}
	if !isAbsent(l.OutputSchema) {
		c.OutputSchema = l.OutputSchema
		c.Run = func(ctx tool.Context, arguments json.RawMessage) (any, error) {
			return s.callStructured(ctx, name, arguments, shown)
		}
	}
	if l.Annotations.asks(s.Asks) {
		c.Approval = tool.Always
	}
	return tool.Define(c)
}

func (h *hints) sideEffects() (effects []tool.SideEffect) {
	open := h.OpenWorldHint
	if h.ReadOnlyHint {
		if open != nil && *open {
			effects = append(effects, tool.Network)
		}
		return effects
	}
	effects = append(effects, tool.External)
	if open == nil || *open {
		effects = append(effects, tool.Network)
	}
	return effects
}

func (h *hints) asks(whom Asks) bool {
	switch whom {
	case AskAlways:
		return true
	case AskNever:
		return false
	case AskDestructive:
		return !h.ReadOnlyHint && (h.DestructiveHint == nil || *h.DestructiveHint)
	default:
		return !h.ReadOnlyHint
	}
}

func (s *Source) callTimeout() time.Duration {
	return max(cmp.Or(s.CallTimeout, DefaultCallTimeout), 0)
}

// toolName is what a tool is called among the tools of all servers. A name that does not fit keeps its beginning and gets the hash
// of the whole.
func (s *Source) toolName(name string) string {
	full := s.Name + "_" + name
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, full)
	if clean == full && utf8.RuneCountInString(full) <= tool.MaxNameLength && !strings.HasSuffix(full, " ") {
		return full
	}
	sum := sha256.Sum256([]byte(name))
	mark := "~" + hex.EncodeToString(sum[:5])
	runes := []rune(clean)
	return string(runes[:min(len(runes), tool.MaxNameLength-len(mark))]) + mark
}
