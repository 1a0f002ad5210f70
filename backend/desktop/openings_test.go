package desktop

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpeningsAreTakenOnceInTheirOrder(t *testing.T) {
	var o Openings
	for _, text := range []string{"callboard://t/t1/r/r1/e/4", "", "/a.callboard", "callboard://attach?url=http://a", "/broken.callboard", "callboard://run"} {
		o.Add(text)
	}
	read := func(path string) (string, error) {
		if path == "/broken.callboard" {
			return "", errors.New("it is broken")
		}
		return "of " + path, nil
	}
	got := o.Take(read)
	want := []Opening{
		{ThreadID: "t1", RunID: "r1", Seq: 4},
		{ThreadID: "of /a.callboard"},
		{Server: "http://a"},
		{Fault: "it is broken"},
		{Fault: `the link "callboard://run" is none of ` + known},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := o.Take(read); len(again) != 0 {
		t.Errorf("got %+v the second time, want nothing", again)
	}
}
