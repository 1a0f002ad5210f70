package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"unicode/utf8"
)

// Read yields the lines of a file, the last one too, each checked by itself and against those before it. A non-nil error is the last
// thing it yields: ErrForeign, ErrNewer, ErrDamaged with the line and what is wrong with it, or that of r. Only who has seen the *End
// knows that the file is whole.
func Read(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f := &reading{in: bufio.NewReaderSize(r, 64<<10), sum: sha256.New(), check: newCheck()}
		for {
			line, err := f.next()
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(line, nil) {
				return
			}
			if _, last := line.(*End); last {
				if err := f.over(); err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// reading is a file that is being read.
type reading struct {
	in    *bufio.Reader
	sum   hash.Hash // of the lines so far
	lines int64
	check *check
}

func (f *reading) next() (Line, error) {
	data, err := f.line()
	if err != nil {
		return nil, err
	}
	line, err := f.decode(data)
	if err != nil {
		return nil, err
	}
	if end, last := line.(*End); last {
		if end.Lines != f.lines || end.SHA256 != hex.EncodeToString(f.sum.Sum(nil)) {
			return nil, fmt.Errorf("%w: its lines are not those it was written with", ErrDamaged)
		}
		return line, nil
	}
	f.sum.Write(data)
	f.lines++
	return line, nil
}

// line is the next line, its end included.
func (f *reading) line() ([]byte, error) {
	var whole []byte
	for {
		piece, err := f.in.ReadSlice('\n')
		whole = append(whole, piece...)
		switch {
		case len(whole) > MaxLine:
			return nil, f.wrong(fmt.Errorf("it is longer than %d MiB", MaxLine>>20))
		case err == nil:
			return whole, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && f.lines == 0:
			return nil, ErrForeign
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: it is cut after line %d", ErrDamaged, f.lines)
		default:
			return nil, fmt.Errorf("read line %d: %w", f.lines+1, err)
		}
		if f.lines == 0 && !bytes.HasPrefix(whole, []byte(`{"type":"`)) {
			return nil, ErrForeign // no need to look for the end of a line
		}
	}
}

func (f *reading) decode(data []byte) (Line, error) {
	var head struct {
		Type    string `json:"type"`
		Version int    `json:"version"`
	}
	err := json.Unmarshal(data, &head)
	if f.lines == 0 {
		if err != nil || head.Type != (*Head)(nil).kind() {
			return nil, ErrForeign
		}
		if head.Version > Version {
			return nil, fmt.Errorf("%w: its format is version %d, and this program reads up to %d", ErrNewer, head.Version, Version)
		}
	}
	if err != nil {
		return nil, f.wrong(err)
	}
	if !utf8.Valid(data) {
		return nil, f.wrong(errors.New("it is not UTF-8"))
	}
	line := newLine(head.Type)
	if line == nil {
		return nil, f.wrong(fmt.Errorf("it is a %q, which this program does not know", head.Type))
	}
	rest, found := bytes.CutPrefix(data, fmt.Appendf(nil, `{"type":%q,`, head.Type))
	if !found {
		return nil, f.wrong(errors.New("it does not begin with its type"))
	}
	if err := strict(append([]byte("{"), rest...), line); err != nil {
		return nil, f.wrong(err)
	}
	if err := f.check.line(line); err != nil {
		return nil, f.wrong(err)
	}
	return line, nil
}

// over refuses what follows the end.
func (f *reading) over() error {
	if _, err := f.in.ReadByte(); err == nil {
		return fmt.Errorf("%w: something follows its last line", ErrDamaged)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read behind the last line: %w", err)
	}
	return nil
}

func (f *reading) wrong(err error) error {
	return fmt.Errorf("%w: line %d: %w", ErrDamaged, f.lines+1, err)
}
