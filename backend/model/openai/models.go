package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"callboard/backend/model"
)

// Models returns the names of the models the server offers, in its order.
func (b *Backend) Models(ctx context.Context) ([]string, error) {
	x := b.exchange(ctx, b.Model, nil)
	defer x.close()
	base, err := x.address()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(x.ctx, http.MethodGet, base.JoinPath("models").String(), nil)
	if err != nil {
		return nil, x.failure(err)
	}
	request.Header.Set("Accept", "application/json")
	if x.key != "" {
		request.Header.Set("Authorization", "Bearer "+x.key)
	}
	response, err := x.ask(request)
	if err != nil {
		return nil, x.failure(err)
	}
	defer func() { _ = response.Body.Close() }()
	timer := time.AfterFunc(x.idle(), x.silent)
	defer timer.Stop()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxEvent))
	if err != nil {
		return nil, x.failure(err)
	}
	models, ok := readModels(body)
	if !ok {
		return nil, &model.Error{
			Code:    model.CodeInvalidResponse,
			Message: x.hide(fmt.Sprintf("%s sent no list of models but %s. Check the base URL; most end in /v1.", x.host(), readTold(body).quote())),
		}
	}
	return models, nil
}

// readModels takes a list as OpenAI sends it, as Ollama does, or bare.
func readModels(body []byte) (names []string, ok bool) {
	type entry struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Model string `json:"model"`
	}
	var list struct {
		Data   []entry `json:"data"`
		Models []entry `json:"models"`
	}
	var bare []entry
	if err := json.Unmarshal(body, &bare); err != nil {
		if err := json.Unmarshal(body, &list); err != nil || (list.Data == nil && list.Models == nil) {
			return nil, false
		}
	}
	for _, e := range slices.Concat(list.Data, list.Models, bare) {
		if name := cmp.Or(e.ID, e.Model, e.Name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, true
}
