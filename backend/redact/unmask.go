package redact

import (
	"errors"
	"strings"
)

// ErrMasked says that a text was changed where a secret is masked in it: who changed it does not know what is behind the mask.
var ErrMasked = errors.New("a secret is masked as " + Mask + " in what was changed: write the secret out there, or leave that line as it was shown")

// HoldsMask reports whether the mask stands in a text, written with escapes of JSON too.
func HoldsMask(text string) bool {
	for _, p := range plains(text) {
		if strings.Contains(p.text, Mask) {
			return true
		}
	}
	return strings.Contains(text, Mask)
}

// Unmask takes texts that were shown masked, and may have been changed since, and puts the secrets back: stored are the texts as they
// are, said what came back. A line of said that is as one of stored was shown is that line again; a changed line must be without the
// mask, or the answer is ErrMasked. Where nothing was masked a mask is a text like others, and said is returned as it is.
func (p *Policy) Unmask(stored, said []string) ([]string, error) {
	behind := map[string][]string{} // by how it was shown
	anySecret := false
	m := p.masker()
	for _, text := range stored {
		for _, l := range m.lines(text) {
			if strings.Contains(l.shown, Mask) {
				behind[l.shown] = append(behind[l.shown], l.stored)
				anySecret = anySecret || l.shown != l.stored
			}
		}
	}
	if !anySecret {
		return said, nil
	}
	times := map[string]int{}
	for _, text := range said {
		for line := range strings.SplitSeq(text, "\n") {
			times[line]++
		}
	}
	at := map[string]int{}
	back := make([]string, len(said))
	for i, text := range said {
		lines := strings.Split(text, "\n")
		for k, line := range lines {
			if !strings.Contains(line, Mask) {
				continue
			}
			all := behind[line]
			// Of lines that were shown alike it is known which is which while all of them are there.
			if len(all) == 0 || len(all) != times[line] && !same(all) {
				return nil, ErrMasked
			}
			lines[k] = all[min(at[line], len(all)-1)]
			at[line]++
		}
		back[i] = strings.Join(lines, "\n")
	}
	return back, nil
}

func same(texts []string) bool {
	for _, text := range texts {
		if text != texts[0] {
			return false
		}
	}
	return true
}

// line is a line of a masked text, and what is behind it: several lines where a secret spans them.
type line struct{ shown, stored string }

func (m *masker) lines(text string) (all []line) {
	start, at := 0, 0 // of the line in the text, and behind its last secret
	var shown strings.Builder
	plain := func(to int) {
		for {
			end := strings.IndexByte(text[at:to], '\n')
			if end < 0 {
				break
			}
			shown.WriteString(text[at : at+end])
			all = append(all, line{shown.String(), text[start : at+end]})
			shown.Reset()
			at += end + 1
			start = at
		}
		shown.WriteString(text[at:to])
	}
	for _, s := range m.spans(text) {
		plain(s.start)
		shown.WriteString(Mask)
		at = s.end
	}
	plain(len(text))
	return append(all, line{shown.String(), text[start:]})
}
