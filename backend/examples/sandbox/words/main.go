//go:build wasip1

// Command words is the module of the example: it counts the words of a text.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o words.wasm ./backend/examples/sandbox/words
package main

import (
	"encoding/json"
	"strings"
	"unsafe"
)

func main() {} // never called: the functions are

// given holds what the host was given a place in, so that it stays where it is.
var given = map[uint32][]byte{}

//go:wasmexport alloc
func alloc(n uint32) uint32 {
	b := make([]byte, max(n, 1))
	at := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	given[at] = b
	return at
}

//go:wasmexport count
func count(at, n uint32) uint64 {
	arguments := given[at][:n]
	clear(given)
	var in struct{ Text string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		panic(err)
	}
	answer, err := json.Marshal(map[string]int{"words": len(strings.Fields(in.Text)), "letters": len([]rune(in.Text))})
	if err != nil {
		panic(err)
	}
	place := alloc(uint32(len(answer)))
	copy(given[place], answer)
	return uint64(place)<<32 | uint64(len(answer))
}
