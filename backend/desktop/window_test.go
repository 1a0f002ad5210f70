package desktop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var first = Window{Width: firstWidth, Height: firstHeight, Zoom: firstZoom}

func at(x, y int) *Place { return &Place{X: x, Y: y} }

func TestRememberReadsWhatIsSound(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          Window
	}{
		{"a whole window", `{"width":900,"height":600,"place":{"x":-4,"y":30},"maximised":true,"zoom":125}`, Window{Width: 900, Height: 600, Place: at(-4, 30), Maximised: true, Zoom: 125}},
		{"an empty file", ``, first},
		{"a file that was cut", `{"width":900,"hei`, first},
		{"a file of another kind", `[1,2]`, first},
		{"a window too small to be used", `{"width":10,"height":600,"zoom":100}`, first},
		{"a window larger than any screen", `{"width":90000,"height":600,"zoom":100}`, first},
		{"a place no screen has", `{"width":900,"height":600,"place":{"x":99999,"y":0},"zoom":100}`, Window{Width: 900, Height: 600, Zoom: 100}},
		{"a zoom nobody can read", `{"width":900,"height":600,"zoom":3}`, Window{Width: 900, Height: 600, Zoom: 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "window.json"), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, Remember(dir).Window()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if diff := cmp.Diff(first, Remember(t.TempDir()).Window()); diff != "" {
		t.Errorf("without a file: %s", diff)
	}
}

func TestAfterASight(t *testing.T) {
	before := Window{Width: 900, Height: 600, Place: at(10, 20), Zoom: 110}
	for _, c := range []struct {
		name string
		seen Sight
		want Window
	}{
		{"a window that was moved and sized", Sight{Width: 1000, Height: 700, Place: at(1, 2)}, Window{Width: 1000, Height: 700, Place: at(1, 2), Zoom: 110}},
		{"a maximised one keeps the size it goes back to", Sight{Width: 1920, Height: 1080, Place: at(0, 0), Maximised: true}, Window{Width: 900, Height: 600, Place: at(10, 20), Maximised: true, Zoom: 110}},
		{"a minimised one changes nothing", Sight{Width: 160, Height: 30, Place: at(-32000, -32000), Passing: true}, before},
		{"one without a place", Sight{Width: 1000, Height: 700}, Window{Width: 1000, Height: 700, Zoom: 110}},
		{"one that has no size yet", Sight{Place: at(0, 0)}, before},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, before.After(c.seen)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPlaceIsTheSameAfterItWasScaledThereAndBack(t *testing.T) {
	for _, by := range []float64{1, 1.25, 1.5, 1.75, 2, 3} {
		for x := -300; x < 300; x++ {
			if got := (Place{x, -x}).Scaled(by).Scaled(1 / by); got != (Place{x, -x}) {
				t.Fatalf("got %v of %d, scaled by %v", got, x, by)
			}
		}
	}
}

func TestWithinTheScreens(t *testing.T) {
	hd, wide := Screen{Width: 1920, Height: 1080}, Screen{Width: 3840, Height: 2160}
	for _, c := range []struct {
		name    string
		window  Window
		screens []Screen
		want    Window
	}{
		{"as large as it was", Window{Width: 900, Height: 600, Place: at(10, 20)}, []Screen{hd}, Window{Width: 900, Height: 600, Place: at(10, 20)}},
		{"a window of a larger screen shrinks", Window{Width: 3000, Height: 2000}, []Screen{hd}, Window{Width: 1920, Height: 1080}},
		{"a window of the larger of two screens does not", Window{Width: 3000, Height: 2000}, []Screen{hd, wide}, Window{Width: 3000, Height: 2000}},
		{"without a screen nothing is known", Window{Width: 9000, Height: 600}, nil, Window{Width: 9000, Height: 600}},
		{"a screen smaller than the least window", Window{Width: 900, Height: 600}, []Screen{{Width: 640, Height: 400}}, Window{Width: MinWidth, Height: MinHeight}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.window.Within(c.screens)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMemoryOutlivesTheProgramAndWritesOnlyWhatChanged(t *testing.T) {
	dir := t.TempDir()
	m := Remember(dir)
	sight := Sight{Width: 1000, Height: 700, Place: at(30, 40)}
	if err := m.See(sight); err != nil {
		t.Fatal(err)
	}
	if err := m.Zoom(150); err != nil {
		t.Fatal(err)
	}
	want := Window{Width: 1000, Height: 700, Place: at(30, 40), Zoom: 150}
	if diff := cmp.Diff(want, Remember(dir).Window()); diff != "" {
		t.Error(diff)
	}
	path := filepath.Join(dir, "window.json")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := m.See(sight); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("got a file written at %v, %v; want it left alone since %v", info.ModTime(), err, long)
	}
	if err := m.Zoom(1000); err == nil {
		t.Error("a zoom of 1000 % was remembered")
	}
}

func TestMemoryOfAFolderThatIsGoneSaysSo(t *testing.T) {
	m := Remember(filepath.Join(t.TempDir(), "gone"))
	if err := m.Zoom(150); err == nil {
		t.Error("got no error")
	}
	if got := m.Window(); got.Zoom != firstZoom {
		t.Errorf("got zoom %d, want %d: it was not kept", got.Zoom, firstZoom)
	}
}
