// Package desktop is what a program of the desktop is apart from its window: the studio's life in it, what it is asked to open, its
// menus, and where it stood. It knows nothing of Wails, nor of what the page shows.
package desktop

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Scheme is that of Callboard's links.
const Scheme = "callboard"

// maxLength limits a link, in bytes.
const maxLength = 4096

// Target is what is to be shown. It is one of a thread, a server and a file.
type Target struct {
	ThreadID string
	RunID    string // with Seq, a moment of the thread; both or neither
	Seq      int64
	Server   string // the address of a server to ask about: nothing is sent to it before a person said so
	File     string // the path of a thread's file
}

// The links there are, for who gave another one.
const known = "callboard://t/THREAD, callboard://t/THREAD/r/RUN/e/SEQ or callboard://attach?url=URL"

// ParseLink reads a link, a file: address or a path. Its error is for the person who opened it.
func ParseLink(text string) (Target, error) {
	if len(text) > maxLength || strings.ContainsFunc(text, unicode.IsControl) {
		return Target{}, errors.New("the link is longer than 4,096 bytes, or has control characters in it")
	}
	scheme, _, found := strings.Cut(text, ":")
	switch {
	case found && strings.EqualFold(scheme, Scheme):
		return parseCallboard(text)
	case found && strings.EqualFold(scheme, "file"):
		return parseFile(text)
	case text == "":
		return Target{}, errors.New("there is nothing to open")
	default:
		return Target{File: text}, nil
	}
}

func parseCallboard(text string) (Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Target{}, fmt.Errorf("read the link: %w", err)
	}
	refused := fmt.Errorf("the link %q is none of %s", text, known)
	if u.Opaque != "" || u.User != nil || u.Port() != "" || u.Fragment != "" {
		return Target{}, refused
	}
	switch strings.ToLower(u.Host) {
	case "t":
		if target, ok := parseThread(u.EscapedPath()); ok && u.RawQuery == "" {
			return target, nil
		}
	case "attach":
		if u.Path == "" || u.Path == "/" {
			return parseServer(u.Query()["url"])
		}
	}
	return Target{}, refused
}

// parseThread reads the rest of a link as the page's own address has it: /THREAD, or /THREAD/r/RUN/e/SEQ.
func parseThread(path string) (Target, bool) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(path, "/"), "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" || strings.ContainsFunc(plain, unicode.IsControl) {
			return Target{}, false
		}
		parts[i] = plain
	}
	switch {
	case len(parts) == 1:
		return Target{ThreadID: parts[0]}, true
	case len(parts) == 5 && parts[1] == "r" && parts[3] == "e":
		seq, err := strconv.ParseInt(parts[4], 10, 64)
		// JavaScript counts events too.
		if err != nil || seq < 0 || seq > 1<<53-1 {
			return Target{}, false
		}
		return Target{ThreadID: parts[0], RunID: parts[2], Seq: seq}, true
	default:
		return Target{}, false
	}
}

func parseServer(addresses []string) (Target, error) {
	if len(addresses) != 1 {
		return Target{}, errors.New("a link callboard://attach needs one url=")
	}
	if u, err := url.Parse(addresses[0]); err == nil && u.User != nil {
		return Target{}, errors.New("an address with a name or password in it is not taken from a link")
	}
	address, err := WebAddress(addresses[0])
	if err != nil {
		return Target{}, fmt.Errorf("the link's address %q: %w", addresses[0], err)
	}
	return Target{Server: address}, nil
}

// WebAddress returns an http or https address as it is written; any other is an error.
func WebAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New("it is no address")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New("only http and https addresses are opened")
	}
	return u.String(), nil
}

// FileAddress returns the file: address of an absolute path.
func FileAddress(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // before a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func parseFile(text string) (Target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return Target{}, fmt.Errorf("%q names no file of this machine", text)
	}
	path := u.Path
	// A drive's letter stands after the slash: file:///C:/a.callboard.
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return Target{File: filepath.FromSlash(path)}, nil
}
