package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

const (
	maxWaiting   = 64 << 20         // bytes of events that wait to be read
	maxUnsent    = 1 << 20          // bytes of messages that wait to be sent, beyond which senders wait
	writeTimeout = 10 * time.Second // of one message, and of waiting for one's turn
	drainTimeout = 5 * time.Second  // of what is still to be sent when the session is closed
)

// Errors a session ends with.
var (
	// ErrBehind says that Events was not read: 64 MiB waited. Nothing is dropped in place of it.
	ErrBehind = errors.New("the session's events were not read: 64 MiB of them wait")
	// ErrSilent says that the server gave no sign of life for Config.Silence.
	ErrSilent = errors.New("the server is silent")
	// ErrClosed is what sending returns after Close.
	ErrClosed = errors.New("the session is closed")

	errStalled = fmt.Errorf("the server took nothing for %s", writeTimeout)
)

// Session is an open voice session. Its methods are safe for concurrent use.
//
// Calls run side by side, each as soon as its turn is complete, and go on while the user speaks: their results reach the model
// when they are there. The session reads what the server sends whether or not anybody reads Events.
type Session struct {
	config Config
	conn   *websocket.Conn
	in     *inbox
	out    *outbox

	life     context.Context // done when the session is over
	stop     context.CancelFunc
	calling  context.Context // done when calls are to stop: no later than life
	stopCall context.CancelCauseFunc
	ready    chan struct{}
	done     chan struct{} // closed when all is over and told
	loops    sync.WaitGroup
	work     sync.WaitGroup // calls
	sent     chan struct{}  // closed when nothing more is sent
	seen     atomic.Int64   // when the server last gave a sign of life, in Unix nanoseconds

	mu      sync.Mutex // guards the dialect and all below, and keeps messages and events in one order
	dialect dialect
	isReady bool
	calls   map[string]*call      // of groups that are not over
	told    map[string]*announced // calls without a result
	leftErr error

	endMu  sync.Mutex
	ending bool
	reason error // why it ended; nil when it was closed
}

func newSession(c Config, d dialect, conn *websocket.Conn) *Session {
	s := &Session{
		config: c, dialect: d, conn: conn, in: newInbox(), out: newOutbox(),
		ready: make(chan struct{}), done: make(chan struct{}), sent: make(chan struct{}),
		calls: map[string]*call{}, told: map[string]*announced{},
	}
	s.life, s.stop = context.WithCancel(context.Background())
	s.calling, s.stopCall = context.WithCancelCause(c.callContext())
	s.seen.Store(time.Now().UnixNano())
	s.loops.Go(s.read)
	s.loops.Go(s.write)
	s.loops.Go(s.ping)
	s.loops.Go(s.watch)
	go s.finish()
	return s
}

// Events yields what happens, in order, and waits for more until the session is over. If it ended otherwise than by Close, the last
// thing it yields is the error: a *CloseError, ErrSilent, ErrBehind or what broke the connection. Who stops ranging may range again
// and goes on where it stopped; one goroutine at a time. Up to 64 MiB of events wait to be read.
func (s *Session) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, ok := s.in.next()
			if !ok {
				if err := s.cause(); err != nil {
					yield(Event{}, err)
				}
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// SendText sends a message of the user, and asks for an answer: now, or after the one the model is at. Like all that sends, it
// returns once the message is in line, and waits at most 10 seconds for a server that takes nothing.
func (s *Session) SendText(text string) error {
	return s.command(command{kind: sendText, text: text})
}

// SendAudio sends a piece of what the microphone hears: 16 bits, little endian, one channel, at 24 kHz for OpenAI and 16 kHz for
// Gemini, where the config says nothing else. Any length is fine; 20 to 100 ms are usual.
func (s *Session) SendAudio(audio []byte) error {
	return s.command(command{kind: sendAudio, audio: audio})
}

// EndAudio says that what was sent is all the user says for now: OpenAI takes it as a turn and answers, Gemini knows that the
// microphone is off. Where the provider hears by itself when somebody stops speaking, it is not needed.
func (s *Session) EndAudio() error { return s.command(command{kind: endAudio}) }

// Interrupt stops the answer the model is at and, of audio that came faster than it is played, lets the model forget what comes
// after the played part of the item last heard. Calls at work go on. Gemini stops by itself when somebody speaks, and at nothing
// else: there it is an errors.ErrUnsupported.
func (s *Session) Interrupt(played time.Duration) error {
	return s.command(command{kind: interrupt, played: played})
}

// Send sends a message of the provider's protocol as it is: one JSON object.
func (s *Session) Send(message json.RawMessage) error {
	if object(message) == nil {
		return errors.New("send a message: it is no JSON object")
	}
	if err := s.room(); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.put(message)
	return nil
}

func (s *Session) command(c command) error {
	if err := s.room(); err != nil {
		return fmt.Errorf("send %s: %w", c.kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, err := s.dialect.send(c)
	if err != nil {
		return fmt.Errorf("send %s: %w", c.kind, err)
	}
	s.out.put(frames...)
	return nil
}

// room waits for room among what is unsent.
func (s *Session) room() error {
	free := s.out.waitForRoom(s.life, maxUnsent, writeTimeout)
	s.endMu.Lock()
	ending, reason := s.ending, s.reason
	s.endMu.Unlock()
	switch {
	case ending && reason == nil:
		return ErrClosed
	case ending:
		return reason
	case !free:
		return errStalled
	}
	return nil
}

// Close ends the session: what was sent goes out, calls at work are cancelled, and the server is told the reason, of at most 123
// bytes. It returns when all is over and Events has its last event; an error names calls whose tools did not stop.
func (s *Session) Close(reason string) error {
	if s.begin(nil) {
		s.stopCall(errSessionOver)
		s.out.close()
		drained := time.NewTimer(drainTimeout)
		select {
		case <-s.sent:
			_ = s.conn.Close(websocket.StatusNormalClosure, shortened(reason)) // a server that does not answer is left
		case <-drained.C:
		case <-s.life.Done():
		}
		drained.Stop()
		s.stop()
	}
	<-s.done
	return s.leftErr
}

// begin says why the session ends; false when that was said before.
func (s *Session) begin(reason error) bool {
	s.endMu.Lock()
	defer s.endMu.Unlock()
	if s.ending {
		return false
	}
	s.ending, s.reason = true, reason
	return true
}

// end ends the session at once.
func (s *Session) end(reason error) {
	if s.begin(reason) {
		s.stop()
	}
}

func (s *Session) cause() error {
	s.endMu.Lock()
	defer s.endMu.Unlock()
	return s.reason
}

func (s *Session) read() {
	for {
		_, frame, err := s.conn.Read(s.life)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				s.awaitReason() // this side closed the connection, and who did says why
			}
			s.end(readError(err))
			s.stop() // the server may have answered Close
			return
		}
		s.seen.Store(time.Now().UnixNano())
		s.take(frame)
	}
}

// awaitReason gives others a moment to say why the session ends, who know more.
func (s *Session) awaitReason() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-s.life.Done():
	case <-timer.C:
	}
}

func readError(err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		return &CloseError{Code: int(closed.Code), Reason: closed.Reason}
	case errors.Is(err, websocket.ErrMessageTooBig):
		return fmt.Errorf("a message of the server is longer than %d MiB: %w", maxFrame>>20, err)
	}
	return fmt.Errorf("the connection broke: %w", err)
}

// take does what a message of the server says.
func (s *Session) take(frame []byte) {
	s.mu.Lock()
	r, err := s.dialect.receive(frame)
	if err != nil {
		s.config.logger().Warn("a message of a voice server is skipped", "provider", s.config.Provider, "error", err)
		r.events = append(r.events, Event{Type: Problem, Err: err})
	}
	for i := range r.events {
		r.events[i].Raw = frame
		s.tell(&r.events[i])
	}
	s.out.put(r.frames...)
	s.takeBack(r.takenBack)
	if r.group != nil {
		s.register(r.group)
	}
	if r.ready && !s.isReady {
		s.isReady = true
		close(s.ready)
	}
	isReady := s.isReady
	s.mu.Unlock()

	for i := range r.events {
		if r.events[i].Type == Failure && !isReady {
			s.end(r.events[i].Err) // it refused to set the session up
		}
		s.hear(&r.events[i])
	}
	if r.group != nil {
		s.start(r.group)
	}
}

func (s *Session) write() {
	defer close(s.sent)
	for {
		frame, ok := s.out.next(s.life)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeoutCause(s.life, writeTimeout, errStalled)
		err := s.conn.Write(ctx, websocket.MessageText, frame)
		cause := context.Cause(ctx)
		cancel()
		if err == nil {
			continue
		}
		if errors.Is(cause, errStalled) {
			err = errStalled
		} else {
			s.awaitReason() // the server may have said why it hung up
		}
		s.end(fmt.Errorf("send to the server: %w", err))
		s.stop()
		return
	}
}

// ping asks the server for a sign of life, again and again.
func (s *Session) ping() {
	silence := s.config.silence()
	if silence < 0 {
		return
	}
	timer := time.NewTimer(silence / 3)
	defer timer.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-timer.C:
		}
		if s.conn.Ping(s.life) != nil {
			return // the reader knows why
		}
		s.seen.Store(time.Now().UnixNano())
		timer.Reset(silence / 3)
	}
}

// watch ends the session when the server gives no sign of life.
func (s *Session) watch() {
	silence := s.config.silence()
	if silence < 0 {
		return
	}
	timer := time.NewTimer(silence)
	defer timer.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-timer.C:
		}
		left := silence - time.Since(time.Unix(0, s.seen.Load()))
		if left <= 0 {
			s.end(fmt.Errorf("%w: no sign of life for %s", ErrSilent, silence))
			return
		}
		timer.Reset(left)
	}
}

// shortened cuts a reason to what a closing message takes.
func shortened(reason string) string {
	const limit = 123
	reason = strings.ToValidUTF8(reason, "\uFFFD")
	if len(reason) <= limit {
		return reason
	}
	end := limit
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
