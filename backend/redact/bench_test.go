package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// What the reader of a long log adds to each event: to one that passes as it is stored, and to a piece of a text, which is decoded,
// looked through and encoded. A policy that looks for nothing is what it is measured against.
func BenchmarkStream(b *testing.B) {
	result := `{"type":"tool-result","at":1760000000000,"id":"res_1","toolCallId":"call_1","result":"` +
		strings.Repeat(`package main\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n`, 5) + `","durationMs":12}`
	deltas := make([]string, 1000)
	words := strings.Fields("The quick brown fox jumps over the lazy dog and then it says that all is well")
	for i := range deltas {
		deltas[i] = fmt.Sprintf(`{"type":"text-delta","at":1760000000000,"id":"txt_1","delta":"%s "}`, words[i%len(words)])
	}
	keys := func() []string { return []string{"an-api-key-of-some-length"} }
	for _, policy := range []struct {
		name string
		*redact.Policy
	}{
		{"nothing", &redact.Policy{}},
		{"keys", &redact.Policy{Secrets: keys}},
		{"keys and patterns", &redact.Policy{Secrets: keys, Patterns: redact.Patterns()}},
		{"patterns", &redact.Policy{Patterns: redact.Patterns()}},
	} {
		for _, log := range []struct {
			name   string
			events []string
		}{{"result", []string{result}}, {"pieces", deltas}} {
			b.Run(log.name+" for "+policy.name, func(b *testing.B) {
				stream := policy.Stream(redact.Operator)
				b.SetBytes(int64(len(log.events[0])))
				for i := 0; b.Loop(); i++ {
					stored := []byte(log.events[i%len(log.events)])
					if stream.Passes(stored) {
						continue
					}
					frame, err := protocol.DecodeFrame(int64(i), stored)
					if err != nil {
						b.Fatal(err)
					}
					for _, f := range stream.Push(frame) {
						if _, err := f.AppendJSON(nil); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// What a secret costs to find among few and among many: the times are for one, and are to stay about the same.
func BenchmarkFind(b *testing.B) {
	for _, secrets := range []int{100, 3000} {
		var text strings.Builder
		var known []string
		for i := range secrets {
			secret := fmt.Sprintf("ghp_%036d", i)
			known = append(known, secret)
			fmt.Fprintf(&text, "%d: token=%s # of a service\n", i, secret)
		}
		for name, policy := range map[string]*redact.Policy{
			"by looks": {Patterns: redact.Patterns()}, "known": {Patterns: redact.Patterns(), Known: known},
		} {
			b.Run(fmt.Sprintf("%d %s", secrets, name), func(b *testing.B) {
				for b.Loop() {
					if hits := policy.Find(text.String()); len(hits) < secrets {
						b.Fatalf("found %d of %d", len(hits), secrets)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*secrets), "ns/secret")
			})
		}
	}
}
