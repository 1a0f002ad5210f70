package desktop

import "sync"

// Opening is what a link or a file leads to, for the page that shows it. Exactly one of ThreadID, Server and Fault is set.
type Opening struct {
	ThreadID string `json:"threadId,omitempty"`
	RunID    string `json:"runId,omitempty"`
	Seq      int64  `json:"seq,omitempty"`
	Server   string `json:"server,omitempty"`
	Fault    string `json:"fault,omitempty"` // why nothing is shown, for a person
}

// Openings are the links and files nobody has shown yet. Its methods may be called at once.
type Openings struct {
	mu      sync.Mutex
	waiting []string
}

// Add takes a link or a file; an empty text is none.
func (o *Openings) Add(text string) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, text)
}

// Take returns what waits, in the order it came, and forgets it. A file is read by read, which returns the thread it made of it.
func (o *Openings) Take(read func(path string) (threadID string, err error)) []Opening {
	o.mu.Lock()
	waiting := o.waiting
	o.waiting = nil
	o.mu.Unlock()
	openings := []Opening{}
	for _, text := range waiting {
		openings = append(openings, opening(text, read))
	}
	return openings
}

func opening(text string, read func(path string) (string, error)) Opening {
	target, err := ParseLink(text)
	if err == nil && target.File != "" {
		target.ThreadID, err = read(target.File)
	}
	if err != nil {
		return Opening{Fault: err.Error()}
	}
	return Opening{ThreadID: target.ThreadID, RunID: target.RunID, Seq: target.Seq, Server: target.Server}
}
