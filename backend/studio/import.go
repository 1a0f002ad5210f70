package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"callboard/backend/agent"
	"callboard/backend/archive"
	"callboard/storage"
)

// maxImport is how large a file may be that is imported, in bytes.
const maxImport = 4 << 30

// What callers of Import compare.
var (
	// ErrThreadExists says that the thread of a file is here already.
	ErrThreadExists = errors.New("this thread is here already")
	// ErrThreadFile says that a file cannot be imported, and why.
	ErrThreadFile = errors.New("the file cannot be imported")
)

// Imported is a thread that came from a file.
type Imported struct {
	ThreadID string `json:"threadId"`
	Title    string `json:"title"`
	Copy     bool   `json:"copy"`     // it got new ids
	Redacted bool   `json:"redacted"` // secrets were kept out of the file
	Ended    int    `json:"ended"`    // runs that were not over in the file, and are now
}

// origin is what a thread that was imported says of the file it came from.
type origin struct {
	ImportedAt int64             `json:"importedAt"` // Unix ms
	ExportedAt int64             `json:"exportedAt"`
	Redacted   *archive.Redacted `json:"redacted,omitempty"`
}

// Import stores the thread of a file (archive) and returns its id. Nothing of it runs: what waited in it is cancelled, what was at
// work has failed, and it works in no folder until it is given one. With ErrThreadExists the id is that of the thread that is here.
// ErrThreadFile tells what is wrong with a file; nothing of it is stored then.
func (s *Studio) Import(ctx context.Context, r io.Reader) (threadID string, err error) {
	imported, err := s.importFile(ctx, r, false)
	return imported.ThreadID, err
}

// ImportCopy is Import, but gives the thread new ids, so that it can stand beside the one it was made of.
func (s *Studio) ImportCopy(ctx context.Context, r io.Reader) (threadID string, err error) {
	imported, err := s.importFile(ctx, r, true)
	return imported.ThreadID, err
}

func (s *Studio) importFile(ctx context.Context, r io.Reader, asCopy bool) (Imported, error) {
	kept, err := s.toFile(func(w io.Writer) error {
		in := &limited{r: r, left: maxImport}
		_, err := io.Copy(w, in)
		if errors.Is(err, errTooLarge) {
			return fmt.Errorf("%w: %w", ErrThreadFile, err)
		}
		if in.failed { // whoever sends it broke off
			return fmt.Errorf("%w: it did not come whole: %w", ErrThreadFile, err)
		}
		return err
	})
	if err != nil {
		return Imported{}, fmt.Errorf("take a thread's file: %w", err)
	}
	defer kept.remove()
	in := &incoming{studio: s, lines: kept.lines}
	if err := in.read(ctx, asCopy); err != nil {
		return in.imported, err
	}
	return in.imported, in.store(ctx)
}

var errTooLarge = fmt.Errorf("it is larger than %d GiB", maxImport>>30)

// limited reads a file that comes, up to a size.
type limited struct {
	r      io.Reader
	left   int64
	failed bool // it could not be read
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		n, err = 0, errTooLarge
	}
	l.failed = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// incoming is a file on its way into the studio.
type incoming struct {
	studio   *Studio
	lines    func() iter.Seq2[archive.Line, error]
	head     *archive.Head
	ends     []*agent.Batch
	imported Imported
}

// read checks the whole file, decides the ids and ends what is not over.
func (in *incoming) read(ctx context.Context, asCopy bool) error {
	head, names, err := archive.NamesOf(in.lines())
	if err != nil {
		return unfit(err)
	}
	in.head = head
	in.imported = Imported{ThreadID: head.Thread.ID, Title: head.Shown(), Redacted: head.Redacted != nil}
	thread, others, err := in.studio.db.Known(ctx, names)
	if err != nil {
		return err
	}
	if thread && !asCopy {
		return fmt.Errorf("import %q: %w", in.imported.Title, ErrThreadExists)
	}
	if thread || others || asCopy {
		in.imported.ThreadID, in.imported.Copy = newThreadID(), true
		renaming, lines := names.Rename(in.imported.ThreadID), in.lines
		in.lines = func() iter.Seq2[archive.Line, error] { return renaming.Lines(lines()) }
	}
	if names.Unfinished {
		if in.ends, err = archive.Settle(ctx, in.lines()); err != nil {
			return unfit(err)
		}
		in.imported.Ended = len(in.ends)
	}
	return nil
}

// store stores the thread, and tells the windows of it.
func (in *incoming) store(ctx context.Context) error {
	s, id := in.studio, in.imported.ThreadID
	t := threadSettings{AgentName: in.head.Thread.AgentName, Imported: &origin{
		ImportedAt: time.Now().UnixMilli(), ExportedAt: in.head.ExportedAtMs, Redacted: in.head.Redacted,
	}}
	if t.AgentName == byHand { // no tool is tried in the copy: who is spoken with there is another
		set, err := s.settings(ctx)
		if err != nil {
			return err
		}
		t.AgentName = set.AgentName
	}
	if t.AgentName == demoAgent { // it works on nothing but a sample of its own
		t.Folder = s.samplePath(id)
		if err := unpackSample(t.Folder); err != nil {
			return err
		}
	}
	settings, err := json.Marshal(t)
	if err == nil {
		err = s.db.ImportThread(ctx, storage.Import{Lines: in.lines, Ends: in.ends, Settings: settings})
	}
	if errors.Is(err, storage.ErrExists) { // another import was first
		return fmt.Errorf("import %q: %w", in.imported.Title, ErrThreadExists)
	}
	if err != nil {
		s.forgetThread(id)
		return err
	}
	runs, err := s.db.Runs(ctx, agent.RunQuery{ThreadID: id, Bare: true})
	if err != nil {
		return err
	}
	for _, run := range runs[max(0, len(runs)-1):] {
		s.runner.Bell().Ring(agent.Ring{RunID: run.ID, ThreadID: id, Last: run.Last, Status: run.Status})
	}
	return nil
}

// unfit says of an error that it is the file's, unless it is the disk's.
func unfit(err error) error {
	var disk *os.PathError
	if errors.As(err, &disk) {
		return fmt.Errorf("read a thread's file: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrThreadFile, err)
}
