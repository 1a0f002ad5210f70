package tool_test

import (
	"context"
	"testing"
	"time"

	"callboard/backend/tool"
)

type weatherArgs struct {
	City  string   `json:"city" jsonschema_description:"City name, with country"`
	Units string   `json:"units" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
	Days  int64    `json:"days,omitempty" jsonschema:"minimum=1,maximum=14"`
	Tags  []string `json:"tags,omitempty"`
}

type weather struct {
	City    string `json:"city"`
	Degrees int    `json:"degrees"`
}

func weatherConfig() tool.Config[weatherArgs, weather] {
	return tool.Config[weatherArgs, weather]{
		Name:        "get_weather",
		Description: "Get current weather for a city",
		Run: func(_ tool.Context, in weatherArgs) (weather, error) {
			return weather{City: in.City, Degrees: 21}, nil
		},
	}
}

func TestWeather(t *testing.T) {
	w := tool.Must(weatherConfig())
	t.Log(string(w.Schema().Parameters), string(w.OutputSchema()))
	c, err := w.Prepare(`{"city":"Paris"}`)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Run(tool.Context{Context: t.Context()})
	t.Logf("%s %v", r.Content, r)
	for _, s := range []string{`{}`, `{"city":1}`, `[]`, `{"city":"a"}{"city":"b"}`, `{"city":"a","City":"b"}`, `{"city":"a","days":1.0}`, `{"city":"a","days":99}`, `{"city":"a","units":"k","days":0}`, `{"city":"a","days":99999999999999999999}`} {
		_, err := w.Prepare(s)
		t.Log(s, err)
	}
}

func BenchmarkPrepare(b *testing.B) {
	w := tool.Must(weatherConfig())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Prepare(`{"city":"Paris","days":3}`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	c, err := tool.Must(weatherConfig()).Prepare(`{"city":"Paris","days":3}`)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if r := c.Run(tool.Context{Context: ctx, OnUpdate: func(tool.Update) {}}); r.Err != nil {
			b.Fatal(r.Err)
		}
	}
}
