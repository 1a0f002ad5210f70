package wasm_test

import "slices"

// module is what a module has that assemble makes.
type module struct {
	memory      byte // pages
	alloc, call bool // exported
	imports     bool // env.reach
	answer      string
}

// answering is a module whose function f gives an answer.
func answering(answer string) []byte {
	return assemble(module{memory: 1, alloc: true, call: true, answer: answer})
}

// assemble makes the bytes of a small module. Its alloc always gives 1024, its f the answer, which stands at 16.
func assemble(m module) []byte {
	section := func(id byte, items ...[]byte) []byte {
		body := append([]byte{byte(len(items))}, slices.Concat(items...)...)
		return append([]byte{id, byte(len(body))}, body...)
	}
	text := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	exported := func(name string, kind, index byte) []byte { return append(text(name), kind, index) }

	out := []byte("\x00asm\x01\x00\x00\x00")
	out = append(out, section(1, []byte("\x60\x01\x7f\x01\x7f"), []byte("\x60\x02\x7f\x7f\x01\x7e"))...) // (i32) → i32, (i32, i32) → i64
	first := byte(0)
	if m.imports {
		out = append(out, section(2, slices.Concat(text("env"), text("reach"), []byte{0, 0}))...)
		first = 1
	}
	out = append(out, section(3, []byte{0}, []byte{1})...)
	var exports [][]byte
	if m.memory > 0 {
		out = append(out, section(5, []byte{0, m.memory})...)
		exports = append(exports, exported("memory", 2, 0))
	}
	if m.alloc {
		exports = append(exports, exported("alloc", 0, first))
	}
	if m.call {
		exports = append(exports, exported("f", 0, first+1))
	}
	out = append(out, section(7, exports...)...)
	out = append(out, section(10,
		[]byte("\x05\x00\x41\x80\x08\x0b"), // i32.const 1024
		slices.Concat([]byte("\x0a\x00\x42\x10\x42\x20\x86\x42"), []byte{byte(len(m.answer))}, []byte("\x84\x0b")), // 16<<32 | len
	)...)
	if m.memory > 0 && m.answer != "" {
		out = append(out, section(11, slices.Concat([]byte("\x00\x41\x10\x0b"), text(m.answer)))...)
	}
	return out
}
