package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"callboard/backend/internal/openapi"
)

// openAPI answers with the description of the routes.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.document()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text) // a client that has left needs no body
	return nil
}

// describe makes the OpenAPI document of the routes.
func (s *Server) describe() ([]byte, error) {
	schemas, err := wireSchemas()
	if err != nil {
		return nil, fmt.Errorf("describe the routes: %w", err)
	}
	version := s.Version
	if version == "" {
		version = "unknown"
	}
	d := &openapi.Document{
		OpenAPI: openapi.Version,
		Info: openapi.Info{
			Title: "Callboard", Version: version,
			Description: "Agents that call tools, over HTTP. Every event of a run has a number; a client that lost its connection reads on from the last one it has.",
		},
		Servers: []openapi.Location{{URL: ".", Description: "Beside this document"}},
		// A server without a token, or without a guard, needs neither.
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}, {}},
		Tags: []openapi.Tag{
			{Name: groupServer, Description: "The server itself"},
			{Name: groupAgents, Description: "What there is, and runs of it"},
			{Name: groupChat, Description: "Runs for clients that send a conversation"},
			{Name: groupThreads, Description: "Conversations"},
			{Name: groupRuns, Description: "What happened, and what is to stop"},
			{Name: groupApprovals, Description: "Calls that wait for a person"},
		},
		Paths: map[string]map[string]*openapi.Operation{},
		Components: openapi.Components{SecuritySchemes: map[string]*openapi.SecurityScheme{
			"bearer": {Type: "http", Scheme: "bearer", Description: "The server's token."},
			"cookie": {
				Type: "apiKey", In: "cookie", Name: "callboard_PORT",
				Description: "What the page's address with ?token= sets in a browser. PORT is the server's.",
			},
		}},
	}
	for pattern, route := range s.routes() {
		method, path, _ := strings.Cut(pattern, " ")
		operation, err := route.operation(path, schemas)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", pattern, err)
		}
		if d.Paths[path] == nil {
			d.Paths[path] = map[string]*openapi.Operation{}
		}
		d.Paths[path][strings.ToLower(method)] = operation
	}
	d.Components.Schemas = schemas.All()
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode the description of the routes: %w", err)
	}
	return append(text, '\n'), nil
}

func (r *route) operation(path string, schemas *openapi.Schemas) (*openapi.Operation, error) {
	o := &openapi.Operation{
		OperationID: r.name, Summary: r.says, Description: r.more, Tags: []string{r.group}, Responses: map[string]*openapi.Response{},
	}
	if r.isOpen {
		o.Security = &[]map[string][]string{}
	}
	o.Parameters = pathParameters(path)
	known := parameters()
	for _, name := range r.query {
		p, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("the parameter %s has no description", name)
		}
		p.Name = name
		o.Parameters = append(o.Parameters, &p)
	}
	if r.takes.members != nil {
		schema := schemas.Add(r.takes.name, schemaOf(r.takes.members, r.takes.says))
		o.RequestBody = &openapi.Body{Required: true, Content: map[string]openapi.Media{mediaJSON: {Schema: schema}}}
	}
	for _, a := range r.gives {
		if err := a.describe(o, schemas); err != nil {
			return nil, err
		}
	}
	r.describeErrors(o)
	return o, nil
}

func (a *answer) describe(o *openapi.Operation, schemas *openapi.Schemas) error {
	status := strconv.Itoa(a.status)
	response := o.Responses[status]
	if response == nil {
		response = &openapi.Response{}
		o.Responses[status] = response
	}
	response.Description = strings.TrimSpace(response.Description + " " + a.says)
	var media openapi.Media
	switch {
	case a.media == "":
		return nil
	case a.stream != "":
		media.Schema = streamOf(a.stream)
	case a.value != nil:
		schema, err := schemas.Of(reflect.TypeOf(a.value))
		if err != nil {
			return err
		}
		media.Schema = schema
	}
	if response.Content == nil {
		response.Content = map[string]openapi.Media{}
	}
	response.Content[a.media] = media
	return nil
}

// streamOf is the schema of a body of server-sent events. OpenAPI 3.1 has none for the items of a stream, so that the schema of the
// text says what is in it.
func streamOf(name string) *openapi.Schema {
	data := openapi.Of("string", "JSON on one line; or [DONE], which ends a stream that did not fail")
	data.ContentMediaType, data.ContentSchema = mediaJSON, openapi.Ref(name)
	event := openapi.Of("object", "")
	event.Properties = openapi.Properties{
		{Name: "id", Schema: openapi.Of("string", "The event's number in its run, for Last-Event-ID; without one it is in no log")},
		{Name: "data", Schema: data},
	}
	event.Required = []string{"data"}
	stream := openapi.Of("string", "Server-sent events. The data of each is of the schema "+name+". A comment comes every 5 s while nothing else does.")
	stream.ContentMediaType, stream.ContentSchema = mediaStream, openapi.ListOf(event, "")
	return stream
}

// describeErrors adds the answers that are errors: those of the route's codes, and those that follow from what it takes.
func (r *route) describeErrors(o *openapi.Operation) {
	codes := append(slices.Clone(r.codes), CodeForbidden, CodeInternal)
	if !r.isOpen {
		codes = append(codes, CodeUnauthorized)
	}
	if r.takes.members != nil {
		codes = append(codes, CodePayloadTooLarge, CodeUnsupportedMediaType)
	}
	if r.takes.members != nil || len(r.query) > 0 {
		codes = append(codes, CodeInvalidInput)
	}
	if slices.ContainsFunc(r.gives, func(a answer) bool { return a.stream != "" }) {
		codes = append(codes, CodeNoStream)
	}
	byStatus := map[int][]string{}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(codes))) {
		byStatus[statusOf(code)] = append(byStatus[statusOf(code)], code)
	}
	content := map[string]openapi.Media{mediaJSON: {Schema: openapi.Ref(errorName)}}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		said := make([]string, 0, len(byStatus[status]))
		for _, code := range byStatus[status] {
			said = append(said, "`"+code+"`: "+meaning(code)+".")
		}
		o.Responses[strconv.Itoa(status)] = &openapi.Response{Description: strings.Join(said, " "), Content: content}
	}
	o.Responses["default"] = &openapi.Response{
		Description: "Another error, such as that of a server elsewhere whose agent was asked.", Content: content,
	}
}
