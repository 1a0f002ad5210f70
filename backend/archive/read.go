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
func Read(r io.Reader) iter.Seq2[Line, error] { return read(r, newCheck()) }

// Reread is Read for a file this program has just written: it does not look at what its lines say, which may be what no import takes.
func Reread(r io.Reader) iter.Seq2[Line, error] { return read(r, nil) }

func read(r io.Reader, c *check) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f := &reading{in: bufio.NewReaderSize(r, 64<<10), sum: sha256.New(), check: c}
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
	check *check // nil: the file is trusted
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
	if f.lines == 0 {
		if err := isOurs(data); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(data) {
		return nil, f.wrong(errors.New("it is not UTF-8"))
	}
	rest, found := bytes.CutPrefix(data, []byte(`{"type":"`))
	kind, rest, ends := bytes.Cut(rest, []byte(`",`))
	if !found || !ends {
		return nil, f.wrong(errors.New("it does not begin with its type"))
	}
	line := newLine(string(kind))
	if line == nil {
		return nil, f.wrong(fmt.Errorf("it is a %.40q, which this program does not know", kind))
	}
	if err := strict(append([]byte("{"), rest...), line); err != nil {
		return nil, f.wrong(err)
	}
	if f.check == nil {
		return line, nil
	}
	if err := f.check.line(line); err != nil {
		return nil, f.wrong(err)
	}
	return line, nil
}

// isOurs says what is wrong with the first line of a file that is none of this program, or of a newer one.
func isOurs(data []byte) error {
	var head struct {
		Type    string `json:"type"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Type != (*Head)(nil).kind() {
		return ErrForeign
	}
	if head.Version > Version {
		return fmt.Errorf("%w: its format is version %d, and this program reads up to %d", ErrNewer, head.Version, Version)
	}
	return nil
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
