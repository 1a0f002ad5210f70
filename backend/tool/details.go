package tool

// Block is a piece of details that draws itself. As the whole of Details, or in a []Block, it stands under the name of its kind;
// in a struct or a map of your own, give the member that name: Diff "diff", Code "code" and so on.
type Block interface{ kind() string }

type (
	// Text is plain text.
	Text string
	// Markdown is text in Markdown.
	Markdown string
	// Diff is a unified diff.
	Diff string
	// Terminal is text with ANSI escapes.
	Terminal string
)

// Code is source text.
type Code struct {
	Text string `json:"text"`
	Lang string `json:"lang"`
}

// Table is rows under columns.
type Table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// Image is a picture.
type Image struct {
	Src       string `json:"src"` // a data: URL or the hash of a blob
	MediaType string `json:"mediaType"`
	Alt       string `json:"alt"`
}

// File is a place in a file.
type File struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1
}

// Progress is how far something has come.
type Progress struct {
	Done  float64 `json:"done"`
	Total float64 `json:"total,omitempty"` // 0 is unknown
	Unit  string  `json:"unit,omitempty"`
}

func (Text) kind() string     { return "text" }
func (Markdown) kind() string { return "markdown" }
func (Diff) kind() string     { return "diff" }
func (Terminal) kind() string { return "terminal" }
func (Code) kind() string     { return "code" }
func (Table) kind() string    { return "table" }
func (Image) kind() string    { return "image" }
func (File) kind() string     { return "file" }
func (Progress) kind() string { return "progress" }

// named puts blocks under the names of their kinds.
func named(details any) any {
	switch d := details.(type) {
	case Block:
		return map[string]any{d.kind(): d}
	case []Block:
		list := make([]any, len(d))
		for i, block := range d {
			list[i] = named(block)
		}
		return list
	default:
		return details
	}
}
