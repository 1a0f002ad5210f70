package studio

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Where a key is kept.
const (
	keptNowhere    = ""
	keptByEnv      = "env"
	keptInKeychain = "keychain" // of the system
	keptInRAM      = "memory"   // until the program ends
	keptInFile     = "file"     // in keys.json of the data folder, because a person asked for it
)

// keptWords are those a client may say.
var keptWords = []string{keptNowhere, keptInKeychain, keptInRAM, keptInFile}

// keychainPatience is how long opening waits for the keychain. A key it did not give by then is asked for when it is needed.
const keychainPatience = 5 * time.Second

// Keychain keeps secrets by name, outside of the data folder.
type Keychain interface {
	// Check says whether there is one that can be asked; it asks no person.
	Check(ctx context.Context) error
	keyHome
}

// keyHome is a place where keys are kept, by name.
type keyHome interface {
	// Get returns a key; empty when there is none.
	Get(ctx context.Context, name string) (key string, err error)
	// Put keeps a key in the place of the one before; an empty one is forgotten.
	Put(ctx context.Context, name, key string) error
}

// keychainIndex says which keys are in the system's keychain, for it cannot be listed. It is kept in the database; no key is in it.
type keychainIndex struct {
	Scope  string   `json:"scope"` // before the names there: other data folders have keys of the same names
	Names  []string `json:"names"`
	Forget []string `json:"forget"` // names that could not be removed when they should have been
}

// keyring holds the keys of providers and servers, each in one home. None of them goes into the database, an answer or a log.
type keyring struct {
	memory   keyHome
	file     keyHome
	keychain Keychain                                              // nil is none
	keep     func(ctx context.Context, index *keychainIndex) error // in the database

	writing sync.Mutex // held while keys move

	mu    sync.Mutex
	index keychainIndex     // it changes while writing is held too
	homes map[string]string // by key's name: where it is
	known map[string]string // keys as they were last read or written
}

// unkept says that a key could not be kept where it should be, and where it is instead.
type unkept struct {
	kept string
	err  error
}

func (u *unkept) Error() string {
	where := "kept in memory until Callboard closes"
	if u.kept == keptInFile {
		where = "still in the file"
	}
	return fmt.Sprintf("%v. The key is %s; Callboard can keep it in a file that only you can read.", u.err, where)
}

func (u *unkept) Unwrap() error { return u.err }

// openKeys reads what is kept. The keychain is nil where there is none.
func (s *Studio) openKeys(ctx context.Context) (*keyring, error) {
	file, err := openKeyFile(s.dir)
	if err != nil {
		return nil, err
	}
	k := &keyring{memory: newKeyMemory(), file: file, keychain: s.config.Keychain, homes: map[string]string{}, known: map[string]string{}}
	k.keep = func(ctx context.Context, index *keychainIndex) error { return s.keep(ctx, "keychain", index) }
	if err := s.load(ctx, "keychain", &k.index); err != nil {
		return nil, err
	}
	for name, key := range file.keys {
		k.homes[name], k.known[name] = keptInFile, key
	}
	for _, name := range k.index.Names {
		k.homes[name] = keptInKeychain
	}
	if len(k.index.Names) > 0 || len(k.index.Forget) > 0 {
		limited, cancel := context.WithTimeout(ctx, keychainPatience)
		defer cancel()
		if err := k.readKeychain(limited); err != nil {
			s.log.Warn("the keychain does not give the keys that are in it; it is asked again when one is needed", "error", err)
		}
	}
	return k, nil
}

// readKeychain reads the keys that are in the keychain, and removes those that should be gone.
func (k *keyring) readKeychain(ctx context.Context) error {
	for _, name := range k.index.Names {
		if _, err := k.read(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range k.index.Forget {
		if slices.Contains(k.index.Names, name) {
			continue // it was kept again since
		}
		if err := k.putKeychain(ctx, name, ""); err != nil {
			return err
		}
	}
	if len(k.index.Forget) == 0 {
		return nil
	}
	index := k.index
	index.Forget = nil
	return k.note(ctx, index)
}

// get returns a key and where it is kept. One that is in the keychain and cannot be read is empty.
func (k *keyring) get(name string) (key, kept string) {
	k.mu.Lock()
	key, known := k.known[name]
	kept = k.homes[name]
	k.mu.Unlock()
	if known || kept != keptInKeychain {
		return key, kept
	}
	key, _ = k.read(context.Background(), name) // it has a limit of its own
	return key, kept
}

// kept says where a key is, without a look at it.
func (k *keyring) kept(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key, known := k.known[name]; known && key == "" {
		return keptNowhere
	}
	return k.homes[name]
}

// read asks the keychain for a key.
func (k *keyring) read(ctx context.Context, name string) (string, error) {
	if k.keychain == nil {
		return "", errors.New("there is no keychain here")
	}
	key, err := k.keychain.Get(ctx, k.inKeychain(name))
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.homes[name] == keptInKeychain {
		k.known[name] = key
	}
	return key, nil
}

// all are the keys that are known.
func (k *keyring) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Values(k.known))
}

// put keeps a key in one home and in no other. An empty key, or keptNowhere, forgets it. Where the keychain does not take it, the
// key stays where it is, a new one in memory, and the error is an *unkept.
func (k *keyring) put(ctx context.Context, name, key, kept string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.mu.Lock()
	before, old := k.homes[name], k.known[name]
	k.mu.Unlock()
	if key == "" {
		kept = keptNowhere
	}
	if kept == keptNowhere {
		key = ""
	}
	var told error
	if kept == keptInKeychain {
		if err := k.intoKeychain(ctx, name, key); err != nil {
			u := &unkept{kept: keptInRAM, err: err}
			told = u
			if kept = keptInRAM; key == old && before != keptNowhere && before != keptInKeychain {
				u.kept = before
				return told
			}
		}
	}
	if home := k.home(kept); home != nil {
		if err := home.Put(ctx, name, key); err != nil {
			return err
		}
	}
	if before != kept {
		if err := k.remove(ctx, name, before); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if delete(k.homes, name); kept != keptNowhere {
		k.homes[name] = kept
	}
	if delete(k.known, name); key != "" {
		k.known[name] = key
	}
	return told
}

// home is the one that is no keychain; nil for other words.
func (k *keyring) home(kept string) keyHome {
	switch kept {
	case keptInRAM:
		return k.memory
	case keptInFile:
		return k.file
	}
	return nil
}

// intoKeychain notes that a key is in the keychain, then puts it there: one that is noted and is not there is none.
func (k *keyring) intoKeychain(ctx context.Context, name, key string) error {
	if k.keychain == nil {
		return errors.New("there is no keychain here")
	}
	index := k.index
	index.Scope = cmp.Or(index.Scope, strings.ToLower(rand.Text()[:12]))
	if !slices.Contains(index.Names, name) {
		index.Names = append(slices.Clone(index.Names), name)
	}
	before := k.index.Names
	if err := k.note(ctx, index); err != nil {
		return err
	}
	if err := k.putKeychain(ctx, name, key); err != nil {
		index.Names = before
		return errors.Join(err, k.note(ctx, index))
	}
	return nil
}

func (k *keyring) putKeychain(ctx context.Context, name, key string) error {
	if k.keychain == nil {
		return errors.New("there is no keychain here")
	}
	return k.keychain.Put(ctx, k.inKeychain(name), key)
}

// inKeychain is the name a key has in the keychain.
func (k *keyring) inKeychain(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.index.Scope + "/" + name
}

// note keeps the index.
func (k *keyring) note(ctx context.Context, index keychainIndex) error {
	if err := k.keep(ctx, &index); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.index = index
	return nil
}

// remove takes a key out of a home. What the keychain does not remove now, it is asked to remove at the next start.
func (k *keyring) remove(ctx context.Context, name, kept string) error {
	if home := k.home(kept); home != nil {
		return home.Put(ctx, name, "")
	}
	if kept != keptInKeychain {
		return nil
	}
	index := k.index
	if err := k.putKeychain(ctx, name, ""); err != nil {
		index.Forget = append(slices.Clone(index.Forget), name)
	}
	index.Names = slices.DeleteFunc(slices.Clone(index.Names), func(n string) bool { return n == name })
	return k.note(ctx, index)
}

// move keeps the key there is in another home.
func (k *keyring) move(ctx context.Context, name, kept string) error {
	before := k.kept(name)
	if before == keptNowhere || kept == keptNowhere || before == kept {
		return nil
	}
	key, _ := k.get(name)
	if key == "" {
		return invalid("the key cannot be read from the keychain now, so it cannot be moved: unlock the keychain, or enter the key again")
	}
	return k.put(ctx, name, key, kept)
}

// keychainView says whether keys can be kept in the system's keychain.
type keychainView struct {
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"` // why it is not
}

// checkPatience is how long the window waits to learn whether there is a keychain.
const checkPatience = 500 * time.Millisecond

func (s *Studio) viewKeychain(ctx context.Context) keychainView {
	if s.config.Keychain == nil {
		return keychainView{Reason: "there is no keychain here"}
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	if err := s.config.Keychain.Check(ctx); err != nil {
		return keychainView{Reason: err.Error()}
	}
	return keychainView{Available: true}
}
