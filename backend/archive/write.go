package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
)

// Write writes lines as a file, and its end; an *End among them is passed over. A line longer than MaxLine is an error: no reader
// takes it.
func Write(w io.Writer, lines iter.Seq2[Line, error]) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := io.MultiWriter(buffered, sum)
	count := int64(0)
	for line, err := range lines {
		if err != nil {
			return err
		}
		if _, last := line.(*End); last {
			continue
		}
		if err := writeLine(out, line); err != nil {
			return fmt.Errorf("write line %d: %w", count+1, err)
		}
		count++
	}
	if err := writeLine(buffered, &End{Lines: count, SHA256: hex.EncodeToString(sum.Sum(nil))}); err != nil {
		return fmt.Errorf("write the last line: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write the last lines: %w", err)
	}
	return nil
}

func writeLine(w io.Writer, line Line) error {
	body, err := encode(line)
	if err != nil {
		return fmt.Errorf("encode a %s: %w", line.kind(), err)
	}
	text := fmt.Appendf(nil, `{"type":%q,%s`+"\n", line.kind(), body[1:])
	if len(text) > MaxLine {
		return fmt.Errorf("a %s has %d MiB; a line of a thread file has at most %d", line.kind(), len(text)>>20, MaxLine>>20)
	}
	_, err = w.Write(text)
	return err
}
