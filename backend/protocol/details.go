package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Block is a piece of a call's details, drawn by its kind; the fields of other kinds are empty.
type Block struct {
	Kind BlockKind
	Raw  json.RawMessage // the block's value, whatever the kind

	Text      string // of text, markdown, diff, terminal and code
	Lang      string
	Columns   []string
	Rows      [][]json.RawMessage
	Src       string
	MediaType string
	Alt       string
	Path      string
	Line      int64 // from 1; 0 is none
	Done      float64
	Total     *float64 // nil is unknown
	Unit      string
}

// BlockKind is the kind of a Block, and the name of the member it comes from.
type BlockKind string

const (
	BlockText     BlockKind = "text"
	BlockMarkdown BlockKind = "markdown"
	BlockDiff     BlockKind = "diff"     // a unified diff
	BlockTerminal BlockKind = "terminal" // text with ANSI escapes
	BlockCode     BlockKind = "code"
	BlockTable    BlockKind = "table"
	BlockImage    BlockKind = "image"
	BlockFile     BlockKind = "file"
	BlockProgress BlockKind = "progress"
	BlockJSON     BlockKind = "json" // all the rest
)

// DetailsBlocks returns the blocks of a call's details. In an object a member named for a kind, whose value fits, is a block of that
// kind, in the order of the text; all other members together are one JSON block behind them. The elements of an array likewise: what
// gives no block stays in one array. Null and an empty text give none, and what is not JSON is one JSON block of that text.
func DetailsBlocks(details json.RawMessage) []Block {
	if len(details) == 0 {
		return nil
	}
	s := scanner{data: details}
	value, err := s.value()
	if s.space(); err != nil || s.at < len(details) {
		return []Block{{Kind: BlockJSON, Raw: details}}
	}
	if string(value) == "null" {
		return nil
	}
	blocks, rest := takeBlocks(nil, value)
	if rest != nil {
		blocks = append(blocks, Block{Kind: BlockJSON, Raw: rest})
	}
	return blocks
}

// takeBlocks appends the blocks of a value and returns the rest of it; nil when nothing is left.
func takeBlocks(blocks []Block, value []byte) (all []Block, rest []byte) {
	if value[0] == '{' {
		return takeMembers(blocks, value)
	}
	if value[0] != '[' {
		return blocks, value
	}
	before := len(blocks)
	var left [][]byte
	for _, element := range scanElements(value) {
		part := element
		if element[0] == '{' {
			blocks, part = takeMembers(blocks, element)
		}
		if part != nil {
			left = append(left, part)
		}
	}
	switch {
	case len(blocks) == before:
		return blocks, value
	case left == nil:
		return blocks, nil
	default:
		return blocks, joined('[', left, ']')
	}
}

func takeMembers(blocks []Block, object []byte) (all []Block, rest []byte) {
	before := len(blocks)
	list, err := scanMembers(nil, object)
	if err != nil {
		return blocks, object
	}
	var left [][]byte
	for _, m := range list {
		if block, fits := blockOf(m); fits {
			blocks = append(blocks, block)
		} else {
			left = append(left, slices.Concat(m.quoted, []byte(":"), m.value))
		}
	}
	switch {
	case len(blocks) == before:
		return blocks, object
	case left == nil:
		return blocks, nil
	default:
		return blocks, joined('{', left, '}')
	}
}

func joined(opening byte, parts [][]byte, closing byte) []byte {
	text := append([]byte{opening}, bytes.Join(parts, []byte(","))...)
	return append(text, closing)
}

func blockOf(m member) (block Block, fits bool) {
	b := Block{Kind: BlockKind(m.name), Raw: m.value}
	switch b.Kind {
	case BlockText, BlockMarkdown, BlockDiff, BlockTerminal:
		if m.value[0] != '"' {
			return Block{}, false
		}
		b.Text = unquote(m.value)
		return b, true
	case BlockCode, BlockTable, BlockImage, BlockFile, BlockProgress:
		list, err := scanMembers(nil, m.value)
		if err != nil {
			return Block{}, false
		}
		f := &fields{list: list}
		b.read(f)
		return b, f.err == nil
	default:
		return Block{}, false
	}
}

// read takes what the block's kind has.
func (b *Block) read(f *fields) {
	switch b.Kind {
	case BlockCode:
		b.Text, b.Lang = f.text("text"), f.optionalText("lang")
	case BlockTable:
		b.readTable(f)
	case BlockImage:
		b.Src, b.MediaType, b.Alt = f.id("src"), f.optionalText("mediaType"), f.optionalText("alt")
	case BlockFile:
		b.Path = f.id("path")
		if line := f.exact("line"); line != nil {
			if *line != math.Trunc(*line) || math.Abs(*line) > maxInteger {
				f.fail("line is not a whole number")
			}
			b.Line = int64(*line)
		}
	case BlockProgress:
		b.Total, b.Unit = f.exact("total"), f.optionalText("unit")
		if done := f.exact("done"); done != nil {
			b.Done = *done
		} else {
			f.fail("done is missing")
		}
	default:
	}
}

func (b *Block) readTable(f *fields) {
	if f.find("columns") == nil {
		f.fail("columns is missing")
	}
	for _, name := range f.elements("columns") {
		if name[0] != '"' {
			f.fail("the name of a column is not a string")
			return
		}
		b.Columns = append(b.Columns, unquote(name))
	}
	for _, row := range f.elements("rows") {
		if row[0] != '[' {
			f.fail("a row is not a list")
			return
		}
		cells := []json.RawMessage{}
		for _, cell := range scanElements(row) {
			cells = append(cells, cell)
		}
		b.Rows = append(b.Rows, cells)
	}
}

// exact is a number that a double holds without changing its value, for a number that is drawn must not be another one.
func (f *fields) exact(name string) *float64 {
	value := f.find(name)
	if value == nil {
		return nil
	}
	x, err := strconv.ParseFloat(string(value), 64)
	if err != nil || decimal(string(value)) != decimal(strconv.FormatFloat(x, 'g', -1, 64)) {
		f.fail("%s is not a number, or too exact a one", name)
		return nil
	}
	return &x
}

// decimal is a decimal number's value in one spelling: its digits without zeros at either end, and a power of ten.
func decimal(text string) string {
	sign, text := text[:strings.IndexFunc(text, isDigit)], text[strings.IndexFunc(text, isDigit):]
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	kept := strings.TrimRight(digits, "0")
	if kept == "" {
		return "0"
	}
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil {
		return text
	}
	return sign + kept + "e" + strconv.Itoa(power-len(fraction)+len(digits)-len(kept))
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
