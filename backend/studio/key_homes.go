package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// keyMemory keeps keys until the program ends.
type keyMemory struct {
	mu   sync.Mutex
	keys map[string]string
}

func newKeyMemory() *keyMemory { return &keyMemory{keys: map[string]string{}} }

// Get returns a key; empty when there is none.
func (m *keyMemory) Get(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keys[name], nil
}

// Put keeps a key; an empty one is forgotten.
func (m *keyMemory) Put(_ context.Context, name, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if delete(m.keys, name); key != "" {
		m.keys[name] = key
	}
	return nil
}

// keyFile keeps keys in keys.json of the data folder, which its owner alone can read.
type keyFile struct {
	path string

	mu   sync.Mutex
	keys map[string]string
}

func openKeyFile(dir string) (*keyFile, error) {
	k := &keyFile{path: filepath.Join(dir, "keys.json"), keys: map[string]string{}}
	content, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	if err := json.Unmarshal(content, &k.keys); err != nil {
		return nil, fmt.Errorf("read the keys in %s (repair the file, or move it away and enter them again): %w", k.path, err)
	}
	maps.DeleteFunc(k.keys, func(_, key string) bool { return key == "" })
	if k.keys == nil { // the file said null
		k.keys = map[string]string{}
	}
	return k, nil
}

// Get returns a key; empty when there is none.
func (k *keyFile) Get(_ context.Context, name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[name], nil
}

// Put keeps a key; an empty one is forgotten.
func (k *keyFile) Put(_ context.Context, name, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys := maps.Clone(k.keys)
	if delete(keys, name); key != "" {
		keys[name] = key
	}
	if maps.Equal(keys, k.keys) {
		return nil
	}
	if err := k.save(keys); err != nil {
		return err
	}
	k.keys = keys
	return nil
}

// save replaces keys.json whole, readable by its owner only.
func (k *keyFile) save(keys map[string]string) error {
	if len(keys) == 0 {
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the keys: %w", err)
		}
		return nil
	}
	content, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the keys: %w", err)
	}
	fresh, err := os.CreateTemp(filepath.Dir(k.path), ".keys-") // 0600
	if err != nil {
		return fmt.Errorf("keep the keys: %w", err)
	}
	_, err = fresh.Write(append(content, '\n'))
	err = errors.Join(err, fresh.Sync(), fresh.Close())
	if err == nil {
		err = os.Rename(fresh.Name(), k.path)
	}
	if err != nil {
		return fmt.Errorf("keep the keys: %w", errors.Join(err, os.Remove(fresh.Name())))
	}
	return nil
}
