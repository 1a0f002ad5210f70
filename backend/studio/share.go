package studio

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"callboard/backend/archive"
	"callboard/backend/redact"
)

// Export says how a thread is written to a file.
type Export struct {
	Markdown bool // for people, instead of the thread's own format
	// Redact masks what looks like a secret, and leaves out what cannot be looked through: images, unless Images is set, and the bytes
	// models answered with. The studio's keys are masked in every export.
	Redact bool
	Images bool
	Words  []string // masked too, in any case; with Redact alone
	Leave  []string // ids of findings (Preview) that are no secrets and stay
}

// Limits of what a person may have masked.
const (
	maxWords = 200
	maxWord  = 500 // bytes
)

// Preview is what Export would mask.
type Preview struct {
	Findings []Finding `json:"findings"`
	Images   int       `json:"images"` // which nothing looks through
}

// Finding is a secret in a thread. What it says is nowhere in it.
type Finding struct {
	ID     string   `json:"id"` // names it for Export.Leave, as long as this studio is open
	Rules  []string `json:"rules"`
	Fixed  bool     `json:"fixed"` // a key of the studio: it cannot be left in
	Left   bool     `json:"left"`  // Export.Leave names it
	Count  int      `json:"count"` // of the places
	Places []Found  `json:"places"`
}

// Found is a place where a secret stands; Before and After are what is around it, masked.
type Found struct {
	archive.Place
	Label  string `json:"label,omitempty"` // of its call
	Before string `json:"before"`
	After  string `json:"after"`
	Times  int    `json:"times"`
}

// maxPlaces is how many places of one secret a preview lists.
const maxPlaces = 100

// check refuses what cannot be masked by.
func (e *Export) check() error {
	if len(e.Words) > maxWords {
		return invalid("words: at most %d can be masked, got %d", maxWords, len(e.Words))
	}
	for _, word := range e.Words {
		if len(word) < 2 || len(word) > maxWord {
			return invalid("words: each has from 2 to %d bytes, and %.20q has %d", maxWord, word, len(word))
		}
	}
	return nil
}

// exportPolicy is what an export masks by. With all is set it masks what Leave names, too.
func (s *Studio) exportPolicy(e *Export, all bool) *redact.Policy {
	p := &redact.Policy{Secrets: s.secrets}
	if e.Redact {
		p.Patterns, p.Words = redact.Patterns(), e.Words
		if !all {
			p.Leave = func(found string) bool { return slices.Contains(e.Leave, s.findingID(found)) }
		}
	}
	return p
}

// findingID names a secret without telling it.
func (s *Studio) findingID(secret string) string {
	sum := hmac.New(sha256.New, s.share.key)
	sum.Write([]byte(secret))
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// Export writes a thread. It returns agent.ErrNotFound for one that is not there.
func (s *Studio) Export(ctx context.Context, threadID string, e Export, w io.Writer) error {
	if err := e.check(); err != nil {
		return err
	}
	kept, err := s.spool(ctx, threadID)
	if err != nil {
		return err
	}
	defer kept.remove()
	all, known, err := s.findSecrets(ctx, &e, kept)
	if err != nil {
		return fmt.Errorf("look for secrets in thread %s: %w", threadID, err)
	}
	masking := &archive.Masking{Policy: s.exportPolicy(&e, false), Findings: all}
	masking.Policy.Known = known
	if left := s.left(&e, all); e.Redact || len(all.All) > left {
		masking.Redacted = &archive.Redacted{
			Secrets: len(all.All) - left, LeftIn: left, NoImages: e.Redact && !e.Images, NoAnswers: e.Redact,
		}
	}
	if left := masking.Redacted; left != nil && left.LeftIn > 0 { // what is left in is not masked in pieces either
		if masking.Findings, err = archive.Find(masking.Policy, kept.again(ctx)); err != nil {
			return fmt.Errorf("look for secrets in thread %s: %w", threadID, err)
		}
	}
	lines := masking.Lines(kept.again(ctx))
	if e.Markdown {
		err = archive.Markdown(w, lines)
	} else {
		err = archive.Write(w, lines)
	}
	if err != nil {
		return fmt.Errorf("export thread %s: %w", threadID, err)
	}
	return nil
}

// findSecrets finds the secrets of a thread, what Leave names included; known are those that are masked wherever they stand, as what finds
// one in one place may not find it in another.
func (s *Studio) findSecrets(ctx context.Context, e *Export, kept *spooled) (all *archive.Findings, known []string, err error) {
	if all, err = archive.Find(s.exportPolicy(e, true), kept.again(ctx)); err != nil || !e.Redact {
		return all, nil, err
	}
	again := s.exportPolicy(e, true)
	again.Known = all.Certain()
	all, err = archive.Find(again, kept.again(ctx))
	return all, again.Known, err
}

// left counts the findings that stay in.
func (s *Studio) left(e *Export, all *archive.Findings) (n int) {
	for _, f := range all.All {
		if !f.Fixed && slices.Contains(e.Leave, s.findingID(f.Secret)) {
			n++
		}
	}
	return n
}

// Preview says what Export would mask, what Leave names included. It returns agent.ErrNotFound for a thread that is not there.
func (s *Studio) Preview(ctx context.Context, threadID string, e Export) (*Preview, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	kept, err := s.spool(ctx, threadID)
	if err != nil {
		return nil, err
	}
	defer kept.remove()
	all, known, err := s.findSecrets(ctx, &e, kept)
	policy := s.exportPolicy(&e, true)
	policy.Known = known
	if err != nil {
		return nil, fmt.Errorf("look for secrets in thread %s: %w", threadID, err)
	}
	labels, images, err := archive.Labels(kept.again(ctx))
	if err != nil {
		return nil, fmt.Errorf("read thread %s: %w", threadID, err)
	}
	view := &Preview{Findings: []Finding{}, Images: images}
	for _, f := range all.All {
		id := s.findingID(f.Secret)
		finding := Finding{ID: id, Rules: f.Rules, Fixed: f.Fixed, Left: !f.Fixed && slices.Contains(e.Leave, id), Count: len(f.Spots)}
		for _, spot := range f.Spots[:min(len(f.Spots), maxPlaces)] {
			label := labels[archive.Place{RunID: spot.RunID, ToolCallID: spot.ToolCallID}]
			finding.Places = append(finding.Places, Found{
				Place: spot.Place, Label: policy.Text(label), Before: spot.Before, After: spot.After, Times: spot.Times,
			})
		}
		view.Findings = append(view.Findings, finding)
	}
	return view, nil
}

// share is what exports and imports need.
type share struct {
	key []byte // of the ids of findings
}

// openShare clears up what an earlier process left on its way.
func (s *Studio) openShare() error {
	s.share.key = []byte(rand.Text())
	if err := os.RemoveAll(s.transfer()); err != nil {
		return fmt.Errorf("clear up after exports and imports: %w", err)
	}
	return nil
}

// spooled is a thread's file in the data folder, as long as it is worked with.
type spooled struct {
	path string
}

// transfer is the folder of files that are on their way. Nothing in it outlives the studio.
func (s *Studio) transfer() string { return filepath.Join(s.dir, "transfer") }

// spool writes a thread as it is now, so that the database is held for as short as can be, and so that all passes over it see the same.
func (s *Studio) spool(ctx context.Context, threadID string) (*spooled, error) {
	return s.toFile(func(w io.Writer) error {
		return archive.Write(w, func(yield func(archive.Line, error) bool) {
			for line, err := range s.db.ExportThread(ctx, threadID) {
				if head, first := line.(*archive.Head); first {
					head.Program, head.ExportedAtMs = "Callboard "+s.config.Version, time.Now().UnixMilli()
				}
				if !yield(line, err) {
					return
				}
			}
		})
	})
}

// toFile makes a file of what is written.
func (s *Studio) toFile(write func(io.Writer) error) (kept *spooled, err error) {
	if err := os.MkdirAll(s.transfer(), 0o700); err != nil {
		return nil, fmt.Errorf("make a place for a thread's file: %w", err)
	}
	file, err := os.CreateTemp(s.transfer(), "*"+archive.Extension)
	if err != nil {
		return nil, fmt.Errorf("make a place for a thread's file: %w", err)
	}
	kept = &spooled{path: file.Name()}
	if err := errors.Join(write(file), file.Close()); err != nil {
		kept.remove()
		return nil, err
	}
	return kept, nil
}

// remove removes the file. What a system still holds open goes when the studio opens next.
func (k *spooled) remove() { _ = os.Remove(k.path) }

// lines reads the file, which came from elsewhere.
func (k *spooled) lines() iter.Seq2[archive.Line, error] { return k.readBy(archive.Read) }

// again reads the file, which was written here, for as long as somebody waits for what comes of it.
func (k *spooled) again(ctx context.Context) iter.Seq2[archive.Line, error] {
	return func(yield func(archive.Line, error) bool) {
		for line, err := range k.readBy(archive.Reread) {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

func (k *spooled) readBy(read func(io.Reader) iter.Seq2[archive.Line, error]) iter.Seq2[archive.Line, error] {
	return func(yield func(archive.Line, error) bool) {
		file, err := os.Open(k.path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		for line, err := range read(file) {
			if !yield(line, err) {
				return
			}
		}
	}
}
