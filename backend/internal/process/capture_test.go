package process

import (
	"fmt"
	"strings"
	"testing"
)

func TestCapture(t *testing.T) {
	for name, tc := range map[string]struct {
		pieces     []string
		head, tail int
		want       string
	}{
		"nothing":                      {nil, 4, 4, ""},
		"all of it, when it fits":      {[]string{"abcd", "efgh"}, 4, 4, "abcdefgh"},
		"a byte too many":              {[]string{"abcdefghi"}, 4, 4, "abcd\n[… 1 bytes left out …]\nfghi"},
		"characters stay whole":        {[]string{"aé🙂é🙂éa"}, 4, 4, "aé\n[… 10 bytes left out …]\néa"},
		"a character over the head":    {[]string{strings.Repeat("a", HeadBytes-1) + "é", "b"}, HeadBytes, TailBytes, strings.Repeat("a", HeadBytes-1) + "éb"},
		"bytes that are no characters": {[]string{"a\xff\xfeb"}, 4, 4, "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			var c Capture
			for _, piece := range tc.pieces {
				write(t, &c, piece)
			}
			if got := c.Text(tc.head, tc.tail); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func write(t *testing.T, c *Capture, piece string) {
	t.Helper()
	if n, err := c.Write([]byte(piece)); n != len(piece) || err != nil {
		t.Fatalf("got %d, %v, want %d", n, err, len(piece))
	}
}

func TestCaptureCountsWhatItLeavesOut(t *testing.T) {
	const lines = 100_000
	var c Capture
	var all strings.Builder
	for i := range lines {
		write(t, &c, fmt.Sprintf("line %d\n", i))
		fmt.Fprintf(&all, "line %d\n", i)
	}
	got := c.Text(HeadBytes, TailBytes)
	missing := all.Len() - HeadBytes - TailBytes
	want := all.String()[:HeadBytes] + fmt.Sprintf("\n[… %d bytes left out …]\n", missing) + all.String()[all.Len()-TailBytes:]
	if got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	if got, want := c.Latest(30), "line 99998\nline 99999\n"; got != want {
		t.Errorf("got latest %q, want %q", got, want)
	}
	if cap(c.head)+cap(c.tail) > 4*(HeadBytes+TailBytes) {
		t.Errorf("got %d bytes of memory for it, want a bounded number", cap(c.head)+cap(c.tail))
	}
}
