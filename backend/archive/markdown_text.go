package archive

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/backend/protocol"
)

// maxFence is how much of a text a fence holds, in bytes: the document is to be read.
const maxFence = 64 << 10

var (
	ansi      = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|.)")
	plain     = regexp.MustCompile(`[^A-Za-z0-9+#._-]`)
	backticks = regexp.MustCompile("`+")
	special   = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|~&$]")
	atStart   = regexp.MustCompile(`^(\s*)([-+=]|\d+[.)])`)
)

// fence is a text in a code block that no run of backticks in it ends.
func fence(lang, text string) string {
	note := ""
	if len(text) > maxFence {
		cut := maxFence
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		note = fmt.Sprintf("\n\n*%d bytes more were left out; the thread's own file has them.*", len(text)-cut)
		text = text[:cut]
	}
	marks := strings.Repeat("`", max(3, longestRun(text)+1))
	text = strings.TrimSuffix(clean(text), "\n")
	return marks + lang + "\n" + text + "\n" + marks + note
}

func longestRun(text string) int {
	longest := 0
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return longest
}

// code is a text in a line, between backticks.
func code(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	marks := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return marks + text + marks
}

// quotedText is a person's text in a quote: what it has of Markdown's signs is only text, and its lines stay.
func quotedText(text string) string {
	lines := strings.Split(clean(text), "\n")
	for i, line := range lines {
		lines[i] = "> " + strings.TrimLeft(escaped(line), " \t")
		if i < len(lines)-1 && line != "" && lines[i+1] != "" {
			lines[i] += `\`
		}
	}
	return strings.Join(lines, "\n")
}

// quotedMarkdown is Markdown a model wrote, in a quote: a fence or a comment that is open in it ends with the quote.
func quotedMarkdown(text string) string {
	return "> " + strings.ReplaceAll(clean(text), "\n", "\n> ")
}

// escaped is a text of which nothing is taken for Markdown.
func escaped(text string) string {
	text = special.ReplaceAllString(text, `\$0`)
	return atStart.ReplaceAllStringFunc(text, func(start string) string { // a list, or the line under a heading
		return start[:len(start)-1] + `\` + start[len(start)-1:]
	})
}

// oneLine puts a space in the place of line breaks and of what is not seen.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}

// clean has line ends of one kind and no other control characters.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
}

// table is a table's block; a cell that is no text is its JSON.
func table(b protocol.Block) string {
	if len(b.Columns) == 0 {
		return jsonFence(string(b.Raw))
	}
	var out strings.Builder
	row := func(cells []string) {
		for i := range b.Columns {
			cell := ""
			if i < len(cells) {
				cell = escaped(oneLine(cells[i]))
			}
			out.WriteString("| " + cell + " ")
		}
		out.WriteString("|\n")
	}
	row(b.Columns)
	out.WriteString(strings.Repeat("| --- ", len(b.Columns)) + "|\n")
	size := 0
	for i, cells := range b.Rows {
		texts := make([]string, len(cells))
		for k, cell := range cells {
			texts[k] = cellText(cell)
			size += len(texts[k])
		}
		if size > maxFence {
			return fmt.Sprintf("%s\n*%d rows more were left out; the thread's own file has them.*", out.String(), len(b.Rows)-i)
		}
		row(texts)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func cellText(cell json.RawMessage) string {
	var s string
	if json.Unmarshal(cell, &s) == nil {
		return s
	}
	return string(cell)
}
