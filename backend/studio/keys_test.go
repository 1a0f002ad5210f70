package studio

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/keychain"
	"callboard/backend/keychain/keychaintest"
)

// TestEveryHomeOfKeysKeepsThem is the one test all homes pass.
func TestEveryHomeOfKeysKeepsThem(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) keyHome{
		"memory": func(*testing.T) keyHome { return newKeyMemory() },
		"file": func(t *testing.T) keyHome {
			file, err := openKeyFile(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return file
		},
		"keychain": func(t *testing.T) keyHome {
			keychaintest.SecretService(t)
			return &keychain.System{Service: "Callboard test"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := open(t)
			put := func(name, key string) {
				t.Helper()
				if err := home.Put(t.Context(), name, key); err != nil {
					t.Fatal(err)
				}
			}
			want := func(name, want string) {
				t.Helper()
				if got, err := home.Get(t.Context(), name); err != nil || got != want {
					t.Errorf("%s is %q, %v, want %q", name, got, err, want)
				}
			}
			want("a", "")
			put("a", "") // forgetting what is not there is no error
			put("a", "sk-1")
			put("mcp/words/header/X-Token", "two\nlines ü")
			want("a", "sk-1")
			want("mcp/words/header/X-Token", "two\nlines ü")
			put("a", "sk-2")
			want("a", "sk-2")
			put("a", "")
			want("a", "")
			want("mcp/words/header/X-Token", "two\nlines ü")
			var wg sync.WaitGroup
			for _, name := range []string{"p1", "p2", "p3", "p4"} {
				wg.Go(func() {
					if err := home.Put(t.Context(), name, "key of "+name); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for _, name := range []string{"p1", "p2", "p3", "p4"} {
				want(name, "key of "+name)
			}
		})
	}
}

// fakeKeychain is a keychain that can be made to refuse.
type fakeKeychain struct {
	*keyMemory
	fault error
}

func (f *fakeKeychain) Check(context.Context) error { return f.fault }

func (f *fakeKeychain) Get(ctx context.Context, name string) (string, error) {
	if f.fault != nil {
		return "", f.fault
	}
	return f.keyMemory.Get(ctx, name)
}

func (f *fakeKeychain) Put(ctx context.Context, name, key string) error {
	if f.fault != nil {
		return f.fault
	}
	return f.keyMemory.Put(ctx, name, key)
}

// values are the keys that are in it.
func (f *fakeKeychain) values() (keys []string) {
	for _, key := range f.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func newFakeKeychain() *fakeKeychain { return &fakeKeychain{keyMemory: newKeyMemory()} }

func (b *bench) putKey(body string) providerView {
	b.Helper()
	return fetch[providerView](b, http.MethodPut, "/api/studio/providers/mine", body, http.StatusOK)
}

func TestAKeyMovesBetweenItsHomesAndIsInOneOnly(t *testing.T) {
	dir, chain := t.TempDir(), newFakeKeychain()
	b := openBench(t, Config{Dir: dir, Keychain: chain})
	const address = `"baseUrl":"http://127.0.0.1:1/v1"`
	inFile := func() bool { return slices.Contains(filesWith(t, dir, secretKey), "keys.json") }
	for _, kept := range []string{"keychain", "file", "memory", "file", "keychain", "memory", "keychain"} {
		body := `{` + address + `,"keepKey":"` + kept + `"`
		if b.studio.keys.kept("mine") == keptNowhere {
			body += `,"key":"` + secretKey + `"`
		}
		view := b.putKey(body + `}`)
		if view.KeyKept != kept || !view.HasKey || view.KeyFault != "" {
			t.Errorf("moved to %s it is %+v", kept, view)
		}
		if got := len(chain.values()) > 0; got != (kept == "keychain") {
			t.Errorf("kept in %s: in the keychain: %t", kept, got)
		}
		if got := inFile(); got != (kept == "file") {
			t.Errorf("kept in %s: in the file: %t", kept, got)
		}
		if key, _ := b.studio.keys.get("mine"); key != secretKey {
			t.Errorf("kept in %s it is %q", kept, key)
		}
	}
	if files := filesWith(t, dir, secretKey); len(files) > 0 {
		t.Errorf("a key of the keychain is in %v", files)
	}
	if got := b.putKey(`{` + address + `}`); got.KeyKept != "keychain" {
		t.Errorf("left alone it is %+v", got)
	}
	b.call(http.MethodDelete, "/api/studio/providers/mine", "", http.StatusNoContent)
	if got := chain.values(); len(got) > 0 {
		t.Errorf("a deleted provider leaves %q in the keychain", got)
	}
}

func TestAKeyOfTheKeychainIsThereAfterARestart(t *testing.T) {
	dir, chain := t.TempDir(), newFakeKeychain()
	first := openBench(t, Config{Dir: dir, Keychain: chain})
	first.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","key":"` + secretKey + `","keepKey":"keychain"}`)
	restart := func() *bench {
		t.Helper()
		return openBench(t, Config{Dir: dir, Keychain: chain})
	}
	end := func(b *bench) {
		t.Helper()
		if err := b.studio.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	end(first)
	second := restart()
	if key, kept := second.studio.keys.get("mine"); key != secretKey || kept != keptInKeychain {
		t.Errorf("after a restart it is %q in %q", key, kept)
	}
	if !slices.Contains(second.studio.secrets(), secretKey) {
		t.Error("it is not masked")
	}
	end(second)

	t.Run("one that is locked is asked again", func(t *testing.T) {
		chain.fault = keychain.ErrNoAnswer
		b := restart()
		if key, kept := b.studio.keys.get("mine"); key != "" || kept != keptInKeychain {
			t.Errorf("while it is locked it is %q in %q", key, kept)
		}
		b.call(http.MethodPut, "/api/studio/providers/mine", `{"baseUrl":"http://127.0.0.1:1/v1","keepKey":"file"}`, http.StatusBadRequest)
		chain.fault = nil
		if key, _ := b.studio.keys.get("mine"); key != secretKey {
			t.Errorf("once it answers it is %q", key)
		}
		chain.fault = keychain.ErrNoAnswer
		b.call(http.MethodDelete, "/api/studio/providers/mine", "", http.StatusNoContent)
		end(b)
	})
	t.Run("what it did not remove is removed at the next start", func(t *testing.T) {
		if got := chain.values(); len(got) != 1 {
			t.Fatalf("in the keychain are %q", got)
		}
		chain.fault = nil
		b := restart()
		if got := chain.values(); len(got) > 0 || b.studio.keys.kept("mine") != keptNowhere {
			t.Errorf("in the keychain are %q", got)
		}
	})
}

func TestWithoutAKeychainAKeyIsInMemoryAndThatIsSaid(t *testing.T) {
	chain := newFakeKeychain()
	chain.fault = keychain.ErrNone
	b := openBench(t, Config{Keychain: chain})
	if got := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Keychain; got.Available || got.Reason == "" {
		t.Errorf("the keychain is %+v", got)
	}
	view := b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","key":"` + secretKey + `","keepKey":"keychain"}`)
	if view.KeyKept != keptInRAM || !strings.Contains(view.KeyFault, "kept in memory until Callboard closes") || !strings.Contains(view.KeyFault, "a file") {
		t.Errorf("got %+v", view)
	}
	b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","keepKey":"file"}`)
	view = b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","keepKey":"keychain"}`)
	if view.KeyKept != keptInFile || !strings.Contains(view.KeyFault, "still in the file") {
		t.Errorf("a key that cannot move: got %+v", view)
	}
}

func TestTheSecretsOfAnMCPServerAreInTheKeychain(t *testing.T) {
	dir, chain := t.TempDir(), newFakeKeychain()
	b := openBench(t, Config{Dir: dir, Keychain: chain})
	view := fetch[mcpView](b, http.MethodPut, "/api/studio/mcp/words",
		`{"transport":"http","url":"http://127.0.0.1:1/mcp","headers":{"X-Token":"`+secretKey+`","X-Other":"other"},"enabled":false,"keepSecrets":"keychain"}`, http.StatusOK)
	if view.SecretsKept != keptInKeychain || len(view.Missing) > 0 || view.SecretFault != "" {
		t.Errorf("got %+v", view)
	}
	if got, want := chain.values(), []string{"other", secretKey}; !slices.Equal(got, want) {
		t.Errorf("in the keychain are %q, want %q", got, want)
	}
	if files := filesWith(t, dir, secretKey); len(files) > 0 {
		t.Errorf("the value is in %v", files)
	}
	b.call(http.MethodDelete, "/api/studio/mcp/words", "", http.StatusNoContent)
	if got := chain.values(); len(got) > 0 {
		t.Errorf("a deleted server leaves %q", got)
	}
}

func TestARealSecretServiceKeepsAProvidersKey(t *testing.T) {
	keychaintest.SecretService(t)
	dir, system := t.TempDir(), &keychain.System{Service: "Callboard test"}
	b := openBench(t, Config{Dir: dir, Keychain: system})
	if got := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Keychain; !got.Available {
		t.Errorf("the keychain is %+v", got)
	}
	if view := b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","key":"` + secretKey + `","keepKey":"keychain"}`); view.KeyKept != keptInKeychain {
		t.Errorf("got %+v", view)
	}
	if files := filesWith(t, dir, secretKey); len(files) > 0 {
		t.Errorf("the key is in %v", files)
	}
	if err := b.studio.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := openBench(t, Config{Dir: dir, Keychain: system})
	if key, kept := again.studio.keys.get("mine"); key != secretKey || kept != keptInKeychain {
		t.Errorf("after a restart it is %q in %q", key, kept)
	}
}

func TestASilentSecretServiceDoesNotHoldTheStudioUp(t *testing.T) {
	keychaintest.Silent(t)
	b := openBench(t, Config{Keychain: &keychain.System{Timeout: 50 * time.Millisecond}})
	view := b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","key":"` + secretKey + `","keepKey":"keychain"}`)
	if view.KeyKept != keptInRAM || !strings.Contains(view.KeyFault, "does not answer") {
		t.Errorf("got %+v", view)
	}
}

func TestAFileOfKeysThatCannotBeWrittenLosesNoKey(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir})
	b.putKey(`{"baseUrl":"http://127.0.0.1:1/v1","key":"` + secretKey + `"}`)
	if err := os.MkdirAll(filepath.Join(dir, "keys.json", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.call(http.MethodPut, "/api/studio/providers/mine", `{"baseUrl":"http://127.0.0.1:1/v1","keepKey":"file"}`, http.StatusInternalServerError)
	if key, kept := b.studio.keys.get("mine"); key != secretKey || kept != keptInRAM {
		t.Errorf("the key is %q in %q, want it where it was", key, kept)
	}
}
