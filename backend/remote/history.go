package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"callboard/backend/client"
	"callboard/backend/model"
	"callboard/backend/server"
)

// Begin makes a thread on the server that goes on from a history. Where the server does not take all of it, nothing of the thread stays
// there, and the error, a *server.Refusal, says why.
func (s *Server) Begin(ctx context.Context, threadID string, history []*model.Message) error {
	for _, m := range history {
		request, cancel := context.WithTimeout(ctx, askTimeout)
		err := s.Client.AddHistory(request, threadID, m)
		cancel()
		if err == nil {
			continue
		}
		var said *client.Error
		if errors.As(err, &said) && said.Status < http.StatusInternalServerError && said.Status != http.StatusUnauthorized {
			err = &server.Refusal{Status: http.StatusBadRequest, Code: server.CodeInvalidInput, Err: err, Message: fmt.Sprintf(
				"%s does not take the beginning of this thread over into a new one (it says: %s). Begin a new thread instead", s.Name, said.Message)}
		} else {
			err = s.refusal(err)
		}
		return errors.Join(err, s.Forget(ctx, threadID))
	}
	return nil
}

// Forget removes a thread from the server; one it does not have is no error.
func (s *Server) Forget(ctx context.Context, threadID string) error {
	request, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	err := s.Client.DeleteThread(request, threadID)
	if said := (*client.Error)(nil); errors.As(err, &said) && said.Status == http.StatusNotFound {
		return nil
	}
	return err
}
