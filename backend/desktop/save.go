package desktop

import (
	"encoding/base64"
	"fmt"
	"os"
)

// Save writes what the page made, in base64, to a file only the user can read.
func Save(path, base64Content string) error {
	content, err := base64.StdEncoding.DecodeString(base64Content)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}
