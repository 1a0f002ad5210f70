package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Where a provider's key is kept.
const (
	keptNowhere = ""
	keptByEnv   = "env"
	keptInRAM   = "memory" // until the program ends
	keptInFile  = "file"   // in keys.json of the data folder, because a person asked for it
)

// keyring holds the providers' keys. None of them goes into the database, an answer or a log.
type keyring struct {
	path string

	mu     sync.Mutex
	memory map[string]string
	file   map[string]string
}

func openKeys(dir string) (*keyring, error) {
	k := &keyring{path: filepath.Join(dir, "keys.json"), memory: map[string]string{}, file: map[string]string{}}
	content, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	if err := json.Unmarshal(content, &k.file); err != nil {
		return nil, fmt.Errorf("read the keys in %s (repair the file, or move it away and enter them again): %w", k.path, err)
	}
	if k.file == nil { // the file said null
		k.file = map[string]string{}
	}
	return k, nil
}

// get returns a provider's key and where it is kept.
func (k *keyring) get(providerID string) (key, kept string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key := k.memory[providerID]; key != "" {
		return key, keptInRAM
	}
	if key := k.file[providerID]; key != "" {
		return key, keptInFile
	}
	return "", keptNowhere
}

// all are the keys of all providers.
func (k *keyring) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append(slices.Collect(maps.Values(k.memory)), slices.Collect(maps.Values(k.file))...)
}

// put keeps a key in one place and in no other. An empty key, or keptNowhere, forgets it.
func (k *keyring) put(providerID, key, kept string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.memory, providerID)
	if kept == keptInRAM && key != "" {
		k.memory[providerID] = key
	}
	before := k.file[providerID]
	delete(k.file, providerID)
	if kept == keptInFile && key != "" {
		k.file[providerID] = key
	}
	if k.file[providerID] == before {
		return nil
	}
	return k.save()
}

// save replaces keys.json whole, readable by its owner only.
func (k *keyring) save() error {
	if len(k.file) == 0 {
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the keys: %w", err)
		}
		return nil
	}
	content, err := json.MarshalIndent(k.file, "", "  ")
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
