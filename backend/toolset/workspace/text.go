package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"callboard/backend/internal/process"
)

const (
	byteOrderMark = "\ufeff"
	// maxFileBytes is how large a file may be that is edited or searched.
	maxFileBytes = 8 << 20
	// sniffBytes is how much of a file is looked at to tell text from anything else.
	sniffBytes = 8000
)

// text is a text file's content with what has to stay as it is.
type text struct {
	body string // without its byte order mark, lines as they end in the file
	mark bool   // it begins with a byte order mark
}

func newText(content string) text {
	body, mark := strings.CutPrefix(content, byteOrderMark)
	return text{body: body, mark: mark}
}

func (t text) String() string {
	if t.mark {
		return byteOrderMark + t.body
	}
	return t.body
}

// newline is how most of its lines end.
func (t text) newline() string {
	if crlf := strings.Count(t.body, "\r\n"); crlf > 0 && 2*crlf >= strings.Count(t.body, "\n") {
		return "\r\n"
	}
	return "\n"
}

// withLF gives the lines of s one ending.
func withLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// ending gives the lines of s the ending a file has.
func ending(s, newline string) string {
	if newline == "\n" {
		return withLF(s)
	}
	return strings.ReplaceAll(withLF(s), "\n", newline)
}

func lineCount(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

var errNotText = errors.New("not a text file")

// readText reads at most limit bytes of a regular file, and says how large it is. What is not text is errNotText.
func readText(root *os.Root, path string, limit int64) (content string, size int64, err error) {
	stat, err := root.Stat(path)
	switch {
	case err != nil:
		return "", 0, explain(shown(path), err)
	case stat.IsDir():
		return "", 0, fmt.Errorf("%s is a folder", shown(path))
	case !stat.Mode().IsRegular(): // opening a pipe would wait for its other end
		return "", 0, fmt.Errorf("%s is not a regular file", shown(path))
	}
	f, err := root.Open(path)
	if err != nil {
		return "", 0, explain(shown(path), err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return "", 0, explain(shown(path), err)
	}
	size = max(stat.Size(), int64(len(raw)))
	if int64(len(raw)) < size {
		raw = process.WholeRunes(raw)
	}
	if isBinary(raw) {
		return "", 0, fmt.Errorf("%s is %w: %d bytes of %s", shown(path), errNotText, size, http.DetectContentType(raw))
	}
	if !utf8.Valid(raw) {
		return "", 0, fmt.Errorf("%s is %w: %d bytes that are not UTF-8", shown(path), errNotText, size)
	}
	return string(raw), size, nil
}

func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffBytes)], 0) >= 0
}
