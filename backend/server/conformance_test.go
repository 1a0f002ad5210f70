package server

import (
	"bytes"
	flags "flag"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"callboard/backend/protocol"
)

// conformance holds what goes over the wire to what GET /openapi.json says: each request and each answer of every test.
type conformance struct {
	t      *testing.T
	server *Server
}

// seen are the answers that came in any test, as "PATTERN STATUS MEDIA".
var seen = struct {
	sync.Mutex
	answers map[string]bool
}{answers: map[string]bool{}}

// RoundTrip sends a request and looks at it and at its answer.
func (c *conformance) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	_, pattern := c.server.mux.Handler(r)
	if escaped := r.URL.EscapedPath(); pattern == "" || escaped != path.Clean(escaped) || r.Method == http.MethodHead {
		return response, nil // no route, or headers alone
	}
	o := operationOf(c.t, c.server, pattern)
	o.name = r.Method + " " + r.URL.RequestURI()
	o.checkRequest(r, body, response.StatusCode)
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil && response.StatusCode != http.StatusNoContent {
		c.t.Errorf("%s: Content-Type: %v", o.name, err)
	}
	response.Body = &checkedBody{ReadCloser: response.Body, check: func(text []byte, whole bool) {
		o.checkAnswer(response.StatusCode, media, text, whole)
	}}
	return response, nil
}

// checkedBody is looked at once it was read to its end, or closed.
type checkedBody struct {
	io.ReadCloser
	read  bytes.Buffer
	check func(text []byte, whole bool)
	once  sync.Once
}

func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err == io.EOF {
		b.once.Do(func() { b.check(b.read.Bytes(), true) })
	}
	return n, err
}

func (b *checkedBody) Close() error {
	b.once.Do(func() { b.check(b.read.Bytes(), false) })
	return b.ReadCloser.Close()
}

// operation is what the document says of one route.
type operation struct {
	t       *testing.T
	name    string // of the request, for people
	pattern string
	is      map[string]any
	at      string // where it stands in the document
	all     *compiled
}

func (o *operation) checkRequest(r *http.Request, body []byte, status int) {
	known := map[string]bool{}
	list, _ := o.is["parameters"].([]any)
	for _, p := range list {
		known[p.(map[string]any)["name"].(string)] = true
	}
	for name := range r.URL.Query() {
		if status < 400 && !known[name] {
			o.t.Errorf("%s: the parameter %s has no description", o.name, name)
		}
	}
	if status < 400 && r.Header.Get(lastEventID) != "" && !known[lastEventID] {
		o.t.Errorf("%s: the header %s has no description", o.name, lastEventID)
	}
	if _, takes := o.is["requestBody"]; !takes {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = o.all.schema(o.t, o.at+"/requestBody/content/application~1json/schema").Validate(value)
	}
	if err != nil && status < 400 {
		o.t.Errorf("%s: it was taken with status %d, and the document refuses %s: %v", o.name, status, body, err)
	}
}

func (o *operation) checkAnswer(status int, media string, text []byte, whole bool) {
	code := strconv.Itoa(status)
	response, ok := o.is["responses"].(map[string]any)[code].(map[string]any)
	if !ok {
		o.t.Errorf("%s: an answer of the status %d has no description: %s", o.name, status, text)
		return
	}
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		o.see(code, "")
		if len(text) > 0 {
			o.t.Errorf("%s: status %d has a body: %s", o.name, status, text)
		}
		return
	}
	key := media
	if content[media] == nil && content[mediaAny] != nil {
		key = mediaAny
	}
	if content[key] == nil {
		o.t.Errorf("%s: an answer of the status %d and the type %s has no description", o.name, status, media)
		return
	}
	o.see(code, key)
	if content[key].(map[string]any)["schema"] == nil {
		return
	}
	at := o.at + "/responses/" + code + "/content/" + strings.ReplaceAll(key, "/", "~1") + "/schema"
	if media == mediaStream {
		o.checkStream(at, text)
		return
	}
	if !whole {
		return // the client left, or looked at the status alone
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = o.all.schema(o.t, at).Validate(value)
	}
	if err != nil {
		o.t.Errorf("%s: the answer %d %s is not as the document says: %v", o.name, status, text, err)
	}
	if status >= 400 && err == nil {
		said := value.(map[string]any)["error"].(map[string]any)["code"].(string)
		if !strings.Contains(response["description"].(string), "`"+said+"`") {
			o.t.Errorf("%s: an answer of the status %d has the code %s, which has no description", o.name, status, said)
		}
	}
}

// checkStream looks at the events that came whole.
func (o *operation) checkStream(at string, text []byte) {
	events := strings.Split(string(text), "\n\n")
	for _, event := range events[:len(events)-1] {
		for line := range strings.Lines(event) {
			data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
			if !ok || data == protocol.Done {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
			if err == nil {
				err = o.all.schema(o.t, at+"/contentSchema/items/properties/data/contentSchema").Validate(value)
			}
			if err != nil {
				o.t.Errorf("%s: the event %s is not as the document says: %v", o.name, data, err)
			}
		}
	}
}

func (o *operation) see(status, what string) {
	seen.Lock()
	defer seen.Unlock()
	seen.answers[o.pattern+" "+status+" "+what] = true
}

// compiled is a document whose schemas let no member through that they do not name, so that what has no description is found.
type compiled struct {
	document map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
}

var documents sync.Map // *compiled by the text of the document

const documentURL = "urn:openapi"

func compiledOf(t *testing.T, s *Server) *compiled {
	s.Handler()
	text, err := s.document()
	if err != nil {
		t.Fatal(err)
	}
	if known, ok := documents.Load(string(text)); ok {
		return known.(*compiled)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	document := value.(map[string]any)
	for _, schema := range document["components"].(map[string]any)["schemas"].(map[string]any) {
		closeObjects(schema)
	}
	c := &compiled{document: document, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if err := c.compiler.AddResource(documentURL, document); err != nil {
		t.Fatal(err)
	}
	known, _ := documents.LoadOrStore(string(text), c)
	return known.(*compiled)
}

// closeObjects makes schemas strict.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			closeObjects(inner)
		}
		if _, object := v["properties"].(map[string]any); object && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

func (c *compiled) schema(t *testing.T, at string) *jsonschema.Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.schemas[at]; s != nil {
		return s
	}
	s, err := c.compiler.Compile(documentURL + "#" + at)
	if err != nil {
		t.Fatalf("compile the schema at %s: %v", at, err)
	}
	c.schemas[at] = s
	return s
}

// operationOf finds the route of a pattern in a server's document.
func operationOf(t *testing.T, s *Server, pattern string) *operation {
	c := compiledOf(t, s)
	method, path, _ := strings.Cut(pattern, " ")
	method = strings.ToLower(method)
	paths := c.document["paths"].(map[string]any)
	item, _ := paths[path].(map[string]any)
	is, ok := item[method].(map[string]any)
	if !ok {
		t.Fatalf("the route %s is not in the document", pattern)
	}
	at := "/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method
	return &operation{t: t, pattern: pattern, is: is, at: escapePointer(at), all: c}
}

// escapePointer makes a JSON pointer fit for an address.
func escapePointer(at string) string {
	return strings.NewReplacer("{", "%7B", "}", "%7D").Replace(at)
}

// suite runs the tests; once all of them have passed, each answer that is described has to have come in one of them.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	status := s.m.Run()
	for _, narrowed := range []string{"test.run", "test.skip", "test.list", "test.bench", "test.fuzz"} {
		if status != 0 || flags.Lookup(narrowed).Value.String() != "" {
			return status
		}
	}
	for pattern, route := range new(Server).routes() {
		for _, a := range route.gives {
			if !seen.answers[fmt.Sprintf("%s %d %s", pattern, a.status, a.media)] {
				fmt.Printf("no test had the answer %d %s of %s, which GET /openapi.json describes\n", a.status, a.media, pattern)
				status = 1
			}
		}
	}
	return status
}
