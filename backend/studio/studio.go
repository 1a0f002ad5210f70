// Package studio is the desktop app without a window: its data folder, agents, threads, providers and settings behind one
// http.Handler. It knows nothing of Wails, flags or the environment.
package studio

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/server"
)

// Config is what a Studio is opened with. Only Dir is required.
type Config struct {
	Dir    string // the data folder, made when it is absent; one process uses it at a time
	Folder string // the folder of every thread that names none; empty: each demo thread gets a sample, others the settings' folder

	// Script, or Model with BaseURL, set the model of every agent.
	Script  string // a file of the scripted model
	BaseURL string // an OpenAI-compatible server
	Model   string

	// Key and EnvBaseURL are OPENAI_API_KEY and OPENAI_BASE_URL; where one is set there is a provider "env". Key is the flag model's too.
	Key        string
	EnvBaseURL string
	// OllamaURL is where a local Ollama is looked for; empty is http://127.0.0.1:11434.
	OllamaURL string

	// OneThread leaves unfinished runs of other threads alone: Open recovers nothing, Run recovers the thread it is given.
	OneThread bool

	Version string
	Assets  fs.FS        // the window's page; nil serves none
	Logger  *slog.Logger // nil is slog.Default()
}

// Studio is an open data folder with everything that works on it.
type Studio struct{}

// RunInput is one message from the command line.
type RunInput struct {
	Agent    string
	Text     string
	ThreadID string // empty makes a new thread
	// OnEvent hears every event after it was stored, in order, as it goes over the wire. May be nil.
	OnEvent func(agent.Record)
}

// Open opens the data folder. Another process that has it open is an error that says so.
func Open(ctx context.Context, c Config) (*Studio, error) { panic("being built") }

// Handler serves the page at /, the protocol at /api and the studio's own routes at /api/studio, unguarded: for the window.
func (s *Studio) Handler() http.Handler { panic("being built") }

// ServeHandler is Handler behind a guard: for TCP.
func (s *Studio) ServeHandler(g server.Guard) http.Handler { panic("being built") }

// Runner runs the studio's agents.
func (s *Studio) Runner() *agent.Runner { panic("being built") }

// Run sends one message and returns when the run ends or waits for a person. When ctx is done the run is cancelled.
// A failed run is an Outcome and an error.
func (s *Studio) Run(ctx context.Context, in RunInput) (*agent.Outcome, error) { panic("being built") }

// Close cancels live runs, leaves waiting ones, and lets go of the data folder.
func (s *Studio) Close(ctx context.Context) error { panic("being built") }
