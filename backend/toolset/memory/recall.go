package memory

import (
	"cmp"
	"fmt"
	"time"

	"callboard/backend/tool"
)

// defaultNotes is how many notes recall gives unless told otherwise.
const defaultNotes = 10

type recallArgs struct {
	Query string `json:"query" jsonschema:"maxLength=1000" jsonschema_description:"Words to look for. Notes with any of them are found, the best first. Empty gives the newest notes."`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_description:"How many notes to give at most; 10 if absent"`
}

type recalled struct {
	Notes []recalledNote `json:"notes"`
	Note  string         `json:"note,omitempty"`
}

type recalledNote struct {
	ID   string   `json:"id"`
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
	Date string   `json:"date"` // when it was remembered
}

var recallCalls = tool.Presentation{Label: "Recall", Icon: "notebook-text"}

func presentRecall(query, summary string) *tool.Presentation {
	return about(recallCalls, cmp.Or(line(query), "newest notes"), summary)
}

func (s *set) recall() (*tool.Tool, error) {
	return tool.Define(tool.Config[recallArgs, tool.Output[recalled]]{
		Name:         "recall",
		Description:  "Finds notes that were remembered in this or in earlier conversations. Look here when the user refers to something from before.",
		Category:     "memory",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &recallCalls,
		Present:      func(in recallArgs) *tool.Presentation { return presentRecall(in.Query, "") },
		Run: func(ctx tool.Context, in recallArgs) (out tool.Output[recalled], err error) {
			limit := cmp.Or(in.Limit, defaultNotes)
			found, err := s.store.FindNotes(ctx, ownerOf(ctx), in.Query, limit+1)
			if err != nil {
				return out, fmt.Errorf("recall: %w", err)
			}
			list := recalled{Notes: []recalledNote{}}
			if len(found) > limit {
				found = found[:limit]
				list.Note = fmt.Sprintf("There are more than these %d: ask for more, or for other words.", limit)
			}
			for _, n := range found {
				list.Notes = append(list.Notes, recalledNote{n.ID, n.Text, n.Tags, time.UnixMilli(n.CreatedAtMs).Format(time.DateTime)})
			}
			out.Content = list
			out.Presentation = presentRecall(in.Query, countNotes(len(found), list.Note != ""))
			return out, nil
		},
	})
}

func countNotes(n int, more bool) string {
	switch {
	case n == 0:
		return "no notes"
	case more:
		return fmt.Sprintf("first %d notes", n)
	case n == 1:
		return "1 note"
	}
	return fmt.Sprintf("%d notes", n)
}
