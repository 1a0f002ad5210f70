package memory

import (
	"errors"
	"fmt"

	"callboard/backend/tool"
)

type forgetArgs struct {
	ID string `json:"id" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"The note's id, as recall gives it"`
}

type forgotten struct {
	Forgotten bool `json:"forgotten"`
}

var forgetCalls = tool.Presentation{Label: "Forget", Icon: "eraser"}

func (s *set) forget() (*tool.Tool, error) {
	return tool.Define(tool.Config[forgetArgs, forgotten]{
		Name:         "forget",
		Description:  "Deletes one note for good.",
		Category:     "memory",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &forgetCalls,
		Present:      func(in forgetArgs) *tool.Presentation { return about(forgetCalls, in.ID, "") },
		Run: func(ctx tool.Context, in forgetArgs) (forgotten, error) {
			err := s.store.DeleteNote(ctx, ownerOf(ctx), in.ID)
			if errors.Is(err, ErrNotFound) {
				return forgotten{}, fmt.Errorf("forget %s: %w: recall gives the ids there are", in.ID, err)
			}
			if err != nil {
				return forgotten{}, fmt.Errorf("forget %s: %w", in.ID, err)
			}
			return forgotten{true}, nil
		},
	})
}
