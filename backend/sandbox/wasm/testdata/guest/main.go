// Command guest is the module the tests call.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"
)

func main() {}

var (
	kept  = map[uint32][]byte{} // what the host was given a place in
	calls int
	hoard [][]byte
)

//go:wasmexport alloc
func alloc(n uint32) uint32 {
	b := make([]byte, max(n, 1))
	at := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	kept[at] = b
	return at
}

func take(at, n uint32) []byte {
	b := kept[at][:n]
	delete(kept, at)
	return b
}

func give(b []byte) uint64 {
	clear(kept) // the host has copied the answers before
	at := alloc(uint32(len(b)))
	copy(kept[at], b)
	return uint64(at)<<32 | uint64(len(b))
}

// shout gives its text in capitals, with the text it was given, and how often the instance was called.
//
//go:wasmexport shout
func shout(at, n uint32) uint64 {
	calls++
	text := take(at, n)
	var in struct{ Text string }
	if err := json.Unmarshal(text, &in); err != nil {
		panic(err)
	}
	out, err := json.Marshal(map[string]any{"shouted": strings.ToUpper(in.Text), "given": string(text), "calls": calls})
	if err != nil {
		panic(err)
	}
	return give(out)
}

//go:wasmexport nothing
func nothing(at, n uint32) uint64 {
	take(at, n)
	return give([]byte("{}"))
}

//go:wasmexport plain
func plain(at, n uint32) uint64 { return give([]byte("no {JSON}\xff")) }

//go:wasmexport empty
func empty(at, n uint32) uint64 { return 0 }

//go:wasmexport spin
func spin(at, n uint32) uint64 {
	for {
	}
}

//go:wasmexport nap
func nap(at, n uint32) uint64 {
	time.Sleep(time.Hour)
	return 0
}

//go:wasmexport devour
func devour(at, n uint32) uint64 {
	for {
		hoard = append(hoard, make([]byte, 1<<20))
	}
}

// swell keeps a lot, but not too much.
//
//go:wasmexport swell
func swell(at, n uint32) uint64 {
	calls++
	hoard = append(hoard, make([]byte, 40<<20))
	return give(fmt.Appendf(nil, "%d", calls))
}

//go:wasmexport fall
func fall(at, n uint32) uint64 {
	fmt.Println("before the fall")
	panic("the guest fell")
}

//go:wasmexport leave
func leave(at, n uint32) uint64 {
	os.Exit(7)
	return 0
}

//go:wasmexport astray
func astray(at, n uint32) uint64 { return 0xffff_fff0<<32 | 100 }

//go:wasmexport boundless
func boundless(at, n uint32) uint64 { return 0xffff_ffff }

// look tells what it sees of the world.
//
//go:wasmexport look
func look(at, n uint32) uint64 {
	_, files := os.ReadDir("/")
	_, written := os.Create("/x")
	start := time.Now()
	time.Sleep(20 * time.Millisecond)
	fmt.Fprintln(os.Stderr, "looking")
	out, err := json.Marshal(map[string]any{
		"env": len(os.Environ()), "files": files != nil, "written": written == nil,
		"slept": time.Since(start) >= 20*time.Millisecond, "year": start.Year(),
	})
	if err != nil {
		panic(err)
	}
	return give(out)
}
