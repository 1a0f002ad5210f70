package storage

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"callboard/backend/agent/storetest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashVariable); path != "" {
		appendUntilKilled(path)
	}
	goleak.VerifyTestMain(m)
}

// open opens a database in a folder of the test's own and closes it with the test.
func open(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "callboard.db"))
}

func openAt(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t) })
}
