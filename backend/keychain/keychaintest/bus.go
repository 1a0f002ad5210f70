// Package keychaintest gives a test a Secret Service of its own on a bus of its own: a real one, or one that never answers.
package keychaintest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	service = "org.freedesktop.secrets"
	path    = dbus.ObjectPath("/org/freedesktop/secrets")
)

// patience guards a test against a program that hangs.
const patience = time.Minute

// Bus starts a session's bus without any service, and makes it this process's. A test that uses it cannot be parallel.
func Bus(t testing.TB) {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed: apt-get install dbus-daemon")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "bus")
	config := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>unix:path=`+socket+`</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, exec.CommandContext(context.WithoutCancel(t.Context()), program, "--nofork", "--config-file="+config))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+socket)
	await(t, "the bus", func() bool { _, err := os.Stat(socket); return err == nil })
	t.Cleanup(func() {
		// The library's connection is the process's own: another test has another bus.
		if conn, err := dbus.SessionBus(); err == nil {
			_ = conn.Close() // it ends with its bus
		}
	})
}

// SecretService starts a real Secret Service, unlocked and empty, on a bus of its own.
func SecretService(t testing.TB) {
	t.Helper()
	program, err := exec.LookPath("gnome-keyring-daemon")
	if err != nil {
		t.Skip("gnome-keyring-daemon is not installed: apt-get install gnome-keyring")
	}
	Bus(t)
	home := t.TempDir()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--foreground", "--components=secrets", "--unlock")
	command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home)
	command.Stdin = strings.NewReader("the password of the keyring")
	run(t, command)
	await(t, "the Secret Service", func() bool {
		conn, err := dbus.ConnectSessionBus()
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close() }() // it was only asked
		// The collection is made after the name is taken.
		_, err = conn.Object(service, path+"/collection/login").GetProperty("org.freedesktop.Secret.Collection.Label")
		return err == nil
	})
}

// Silent is a Secret Service that takes every question and answers none until the test is over.
func Silent(t testing.TB) {
	t.Helper()
	Bus(t)
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	for _, asked := range []string{"org.freedesktop.DBus.Properties", "org.freedesktop.Secret.Service"} {
		if err := conn.Export(silent{over}, path, asked); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(over)
		_ = conn.Close() // it ends with its bus
	})
}

type silent struct{ over chan struct{} }

// Get is what a client asks first that reads.
func (s silent) Get(string, string) (dbus.Variant, *dbus.Error) {
	<-s.over
	return dbus.MakeVariant([]dbus.ObjectPath{}), nil
}

// OpenSession is what a client asks first that writes.
func (s silent) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	<-s.over
	return dbus.MakeVariant(""), path, nil
}

// run starts a program that lives as long as the test.
func run(t testing.TB, command *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", command.Path, err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()         // it was killed
		if t.Failed() {
			t.Logf("%s said: %s", command.Path, said.String())
		}
	})
}

func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}
