package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"

	"callboard/backend/tool"
)

// Source is another program's MCP server as a source of tools. Its fields are set before the first use and not changed after. It
// is safe for concurrent use, and is to be closed.
type Source struct {
	Name string // before its tools' names: letters, digits and -, 32 at most

	// A server over stdio: a program and its arguments. Of this program's environment it sees the few variables programs cannot do
	// without (PATH, HOME and the like), and beside them Env, as "NAME=value".
	Command string
	Args    []string
	Env     []string
	Dir     string // its working folder; empty is this program's

	// A server over streamable HTTP: its address, and what is sent with every request to that host, such as Authorization.
	URL    string
	Header http.Header

	CallTimeout  time.Duration // of one call; 0 is DefaultCallTimeout, negative is none
	StartTimeout time.Duration // of starting and listing; 0 is DefaultStartTimeout

	Asks     Asks         // whose calls wait for a person
	Version  string       // of this program, told to the server
	OnChange func()       // hears that State or Offers may be different; called from several goroutines; may be nil
	Logger   *slog.Logger // nil is slog.Default()

	once   sync.Once
	life   context.Context // done when the source is closed
	end    context.CancelFunc
	wg     sync.WaitGroup
	tokens tokens
	log    tail

	mu        sync.Mutex
	closed    bool
	link      *link
	starting  *attempt
	offers    []Offer
	stale     bool // the server said that its list changed
	failure   error
	failures  int // starts and ends in a row
	notBefore time.Time
	listing   sync.Mutex // one list is read at a time
}

// Limits of a Source, where it sets none.
const (
	DefaultCallTimeout  = 10 * time.Minute
	DefaultStartTimeout = 30 * time.Second
)

// Asks says whose calls wait for a person.
type Asks string

const (
	AskUnlessReadOnly Asks = ""            // of every tool that does not call itself read-only
	AskDestructive    Asks = "destructive" // of tools that neither call themselves read-only nor deny being destructive
	AskAlways         Asks = "always"
	AskNever          Asks = "never"
)

// State is what is known of a source's server.
type State string

const (
	StateOff      State = "off" // not started yet, or closed
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateFailed   State = "failed" // it did not start, or ended
)

// Offer is a tool as its server lists it.
type Offer struct {
	Name        string // on the server
	Description string
	Parameters  json.RawMessage // the schema of its arguments, as listed; nil when it has none
	Tool        *tool.Tool      // nil when it cannot be used
	Err         error           // why
	// Unchecked is the tool where Err is about its schema: its arguments go to the server as they are, so it is for a person to try,
	// not for a model. nil when it can be called in no way.
	Unchecked *tool.Tool
}

// ErrClosed says that a source was closed.
var ErrClosed = errors.New("the source is closed")

var sourceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,31}$`)

// Check says what is wrong with the source's fields.
func (s *Source) Check() error {
	switch {
	case !sourceName.MatchString(s.Name):
		return fmt.Errorf("an MCP server's name is made of letters, digits and -, 32 at most; %q is not", s.Name)
	case (s.Command == "") == (s.URL == ""):
		return fmt.Errorf("MCP server %q: it needs a command or an address, one of the two", s.Name)
	case !slices.Contains([]Asks{AskUnlessReadOnly, AskDestructive, AskAlways, AskNever}, s.Asks):
		return fmt.Errorf("MCP server %q: unknown Asks %q", s.Name, s.Asks)
	case s.Command != "":
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("MCP server %q: its address must be a whole one, such as https://example.com/mcp", s.Name)
	}
	if u.User != nil {
		return fmt.Errorf("MCP server %q: its address must hold no password: send it as a header", s.Name)
	}
	return nil
}

// Start begins to start the server where it does not run, and does not wait for it.
func (s *Source) Start() {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = s.connect(done) // State says what came of it
}

// Tools starts the server where it does not run, and returns the tools it lists now, those that can be used. The same list is the
// same tools. With an error, the tools are the last that are known: their calls try again to start the server.
func (s *Source) Tools(ctx context.Context) ([]*tool.Tool, error) {
	l, err := s.connect(ctx)
	if err == nil {
		err = s.relist(ctx, l, false)
	}
	var tools []*tool.Tool
	for _, o := range s.Offers() {
		if o.Tool != nil {
			tools = append(tools, o.Tool)
		}
	}
	return tools, err
}

// Refresh starts the server, however lately that failed, and reads its list again.
func (s *Source) Refresh(ctx context.Context) error {
	s.mu.Lock()
	s.notBefore = time.Time{}
	fresh := s.link == nil
	s.mu.Unlock()
	l, err := s.connect(ctx)
	if err != nil || fresh {
		return err
	}
	return s.relist(ctx, l, true)
}

// Offers returns what the server listed last, with the reason beside each tool that cannot be used.
func (s *Source) Offers() []Offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offers)
}

// State returns how the server is, and with StateFailed why.
func (s *Source) State() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return StateOff, nil
	case s.link != nil:
		return StateReady, nil
	case s.starting != nil:
		return StateStarting, nil
	case s.failure != nil:
		return StateFailed, s.failure
	}
	return StateOff, nil
}

// Log returns the last lines the server wrote to its standard error, and those of its standard output that are no messages, over all
// its starts. What Env and Header hold is masked.
func (s *Source) Log() []string {
	lines := s.log.lines()
	for i := range lines {
		lines[i] = s.mask(lines[i])
	}
	return lines
}

// Close ends the server and the calls that are at work. It returns when all is over.
func (s *Source) Close() {
	s.begin()
	s.mu.Lock()
	s.closed = true
	l := s.link
	s.mu.Unlock()
	s.end()
	if l != nil {
		l.close()
	}
	s.wg.Wait()
}

func (s *Source) begin() {
	s.once.Do(func() { s.life, s.end = context.WithCancel(context.Background()) })
}

func (s *Source) changed() {
	if s.OnChange != nil {
		s.OnChange()
	}
}

func (s *Source) logger() *slog.Logger { return cmp.Or(s.Logger, slog.Default()) }
