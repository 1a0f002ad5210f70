package desktop

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatASecondStartHandsOverIsTaken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := HandOver(t.Context(), dir, "callboard://t/a"); err == nil {
		t.Fatal("it was taken where no window is open")
	}
	var taken []string
	d, err := OpenDoor(t.Context(), dir, func(text string) { taken = append(taken, text) })
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"callboard://t/a", "", "/home/ada/a \"b\".callboard"} {
		if err := HandOver(t.Context(), dir, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	d.Close()
	if want := []string{"callboard://t/a", "", "/home/ada/a \"b\".callboard"}; !slices.Equal(taken, want) {
		t.Errorf("got %q, want %q", taken, want)
	}
	if err := HandOver(t.Context(), dir, "callboard://t/a"); err == nil {
		t.Error("it was taken after the window was closed")
	}
}

func TestADoorIsOpenedOnce(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Door, error) { return OpenDoor(t.Context(), dir, func(string) {}) }
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil {
		t.Error("a second window took the door of the first")
	}
	if err := HandOver(t.Context(), dir, "callboard://t/a"); err != nil {
		t.Errorf("the first window is not reached any more: %v", err)
	}
	first.Close()
}

func TestTheDoorOfAWindowThatWasKilledIsOpenedAnew(t *testing.T) {
	dir := t.TempDir()
	killed, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", door(dir))
	if err != nil {
		t.Fatal(err)
	}
	killed.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(door(dir)); err != nil {
		t.Fatalf("nothing was left behind: %v", err)
	}
	d, err := OpenDoor(t.Context(), dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}
