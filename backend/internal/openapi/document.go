// Package openapi makes OpenAPI 3.1 documents of routes and types that are described in Go. It knows nothing of agents, and serves
// nothing.
package openapi

// Version is that of OpenAPI.
const Version = "3.1.0"

// Document is a whole OpenAPI document.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       Info                             `json:"info"`
	Servers    []Location                       `json:"servers"`
	Security   []map[string][]string            `json:"security,omitempty"`
	Tags       []Tag                            `json:"tags,omitempty"`
	Paths      map[string]map[string]*Operation `json:"paths"` // by path, then by method in small letters
	Components Components                       `json:"components"`
}

// Info says what is described.
type Info struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
}

// Location is where the routes are, relative to the document.
type Location struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Components are what a document's parts refer to.
type Components struct {
	Schemas         map[string]*Schema         `json:"schemas"`
	SecuritySchemes map[string]*SecurityScheme `json:"securitySchemes,omitempty"`
}

// SecurityScheme is a way to say who one is.
type SecurityScheme struct {
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	Name        string `json:"name,omitempty"`
	In          string `json:"in,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
}

// Operation is one route.
type Operation struct {
	OperationID string                 `json:"operationId"`
	Summary     string                 `json:"summary"`
	Description string                 `json:"description,omitempty"`
	Tags        []string               `json:"tags,omitempty"`
	Parameters  []*Parameter           `json:"parameters,omitempty"`
	RequestBody *Body                  `json:"requestBody,omitempty"`
	Responses   map[string]*Response   `json:"responses"` // by status
	Security    *[]map[string][]string `json:"security,omitempty"`
}

// Parameter is a part of the path, the query or the head of a request.
type Parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"` // path, query, header
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema"`
}

// Body is that of a request.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"` // by media type
}

// Response is an answer.
type Response struct {
	Description string             `json:"description"`
	Headers     map[string]*Header `json:"headers,omitempty"`
	Content     map[string]Media   `json:"content,omitempty"` // by media type
}

// Header is one of an answer.
type Header struct {
	Description string  `json:"description,omitempty"`
	Schema      *Schema `json:"schema"`
}

// Media is a body of one media type.
type Media struct {
	Schema *Schema `json:"schema,omitempty"`
}
