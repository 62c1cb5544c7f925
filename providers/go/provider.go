// Go's standard library as a provider of cpb_provider.h.
//
// Here is the interface. What is offered stands in the other files, a line for each
// implementation.
package main

/*
#cgo CFLAGS: -I../../shims
#include "cpb_provider.h"
#include <stdlib.h>
#include <string.h>

// What Go exports can say of itself.
typedef const cpb_workload *workload;
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// Whether keys are made within the call.
const oneshot = C.CPB_ONESHOT

// What one call is given and has room for, by role.
type given struct {
	in, out [C.CPB_INPUT + 1][]byte
	// All outputs, which stand one behind the other.
	all []byte
}

// One call, on the case of this number.
type work func(number int) error

// Makes a call ready: keys that are kept are made here.
type ready func(contract uint32, cases []given, iterations uint64) (work, error)

type length struct {
	role               uint32
	least, usual, most uint64
}

// One line of what is offered.
type implementation struct {
	primitive   string
	operation   uint32
	granularity uint32
	lengths     []length
	ready       ready
}

func fixed(role uint32, bytes int) length {
	return length{role, uint64(bytes), uint64(bytes), uint64(bytes)}
}

func free(role uint32, usual int) length {
	return length{role, 0, uint64(usual), C.CPB_ANY}
}

// Without keys: `one` is a call.
func plain(one func(*given) error) ready {
	return func(_ uint32, cases []given, _ uint64) (work, error) {
		return func(number int) error { return one(&cases[number]) }, nil
	}
}

// With a key, which `key` makes: once for each case, or in every call.
func keyed[K any](key func(*given) (K, error), one func(K, *given) error) ready {
	return func(contract uint32, cases []given, _ uint64) (work, error) {
		if contract == oneshot {
			return func(number int) error {
				made, err := key(&cases[number])
				if err != nil {
					return err
				}
				return one(made, &cases[number])
			}, nil
		}
		keys := make([]K, len(cases))
		for number := range cases {
			var err error
			if keys[number], err = key(&cases[number]); err != nil {
				return nil, err
			}
		}
		return func(number int) error { return one(keys[number], &cases[number]) }, nil
	}
}

// A call that is ready: its cases are taken in turn.
type call struct {
	cases      []given
	work       work
	next, last int
	failure    error
}

var offered = sync.OnceValues(func() ([]implementation, unsafe.Pointer) {
	var all []implementation
	for _, some := range [][]implementation{digests(), ciphers(), curves(), rsaKeys()} {
		all = append(all, some...)
	}
	shown := C.calloc(C.size_t(len(all)), C.sizeof_cpb_implementation)
	for index, it := range all {
		show(&unsafe.Slice((*C.cpb_implementation)(shown), len(all))[index], it)
	}
	return all, shown
})

// In memory of C's, which stays.
func show(to *C.cpb_implementation, it implementation) {
	lengths := C.calloc(C.size_t(len(it.lengths)+1), C.sizeof_cpb_length)
	for index, of := range it.lengths {
		unsafe.Slice((*C.cpb_length)(lengths), len(it.lengths))[index] = C.cpb_length{
			role: C.uint32_t(of.role), least: C.uint64_t(of.least),
			usual: C.uint64_t(of.usual), most: C.uint64_t(of.most),
		}
	}
	*to = C.cpb_implementation{
		primitive: C.CString(it.primitive), spelling: C.CString(it.primitive),
		backend: C.CString("default"), operation: C.uint32_t(it.operation), is_default: 1,
		lengths: (*C.cpb_length)(lengths), length_count: C.uint64_t(len(it.lengths)),
		granularity: C.uint32_t(max(it.granularity, 1)),
	}
}

//export goVersion
func goVersion() *C.char { return C.CString(strings.TrimPrefix(runtime.Version(), "go")) }

//export goCount
func goCount() C.uint64_t {
	all, _ := offered()
	return C.uint64_t(len(all))
}

//export goImplementation
func goImplementation(index C.uint64_t) *C.cpb_implementation {
	all, shown := offered()
	if index >= C.uint64_t(len(all)) {
		return nil
	}
	return &unsafe.Slice((*C.cpb_implementation)(shown), len(all))[index]
}

//export goPrepare
func goPrepare(index C.uint64_t, load C.workload, handle *unsafe.Pointer, reason *C.char, room C.uint64_t) C.int {
	all, _ := offered()
	if index >= C.uint64_t(len(all)) {
		return refuse("there is no such implementation", reason, room)
	}
	if load.contract == C.CPB_COMPAT {
		return refuse("bench-slopes has no such row", reason, room)
	}
	cases := make([]given, load.case_count)
	for number, it := range unsafe.Slice(load.cases, load.case_count) {
		cases[number] = caseOf(&it)
	}
	work, err := all[index].ready(uint32(load.contract), cases, uint64(load.iterations))
	if err != nil {
		return refuse(err.Error(), reason, room)
	}
	// A handle is a number, not a place in memory.
	*(*uintptr)(unsafe.Pointer(handle)) = uintptr(cgo.NewHandle(&call{cases: cases, work: work}))
	return 0
}

func caseOf(it *C.cpb_case) (made given) {
	for _, input := range unsafe.Slice(it.inputs, it.input_count) {
		made.in[input.role] = bytesOf(&input)
	}
	outputs, total := unsafe.Slice(it.outputs, it.output_count), 0
	for _, output := range outputs {
		made.out[output.role] = bytesOf(&output)
		total += int(output.length)
	}
	if total != 0 {
		made.all = unsafe.Slice((*byte)(outputs[0].bytes), total)
	}
	return made
}

func bytesOf(it *C.cpb_buffer) []byte { return unsafe.Slice((*byte)(it.bytes), it.length) }

//export goRun
func goRun(handle unsafe.Pointer, calls C.uint64_t) {
	it := cgo.Handle(uintptr(handle)).Value().(*call)
	for ; calls != 0; calls-- {
		it.last = it.next
		if it.next++; it.next == len(it.cases) {
			it.next = 0
		}
		if err := it.work(it.last); err != nil && it.failure == nil {
			it.failure = err
		}
	}
}

//export goOutput
func goOutput(handle unsafe.Pointer, outputs *C.cpb_buffer, count C.uint64_t, reason *C.char, room C.uint64_t) C.int {
	it := cgo.Handle(uintptr(handle)).Value().(*call)
	if it.failure != nil {
		return refuse(it.failure.Error(), reason, room)
	}
	all := unsafe.Slice(outputs, count)
	for index := range all {
		out := it.cases[it.last].out[all[index].role]
		all[index].bytes = (*C.uint8_t)(unsafe.SliceData(out))
		all[index].length = C.uint64_t(len(out))
	}
	return 0
}

//export goRelease
func goRelease(handle unsafe.Pointer) { cgo.Handle(uintptr(handle)).Delete() }

func refuse(words string, reason *C.char, room C.uint64_t) C.int {
	if room != 0 {
		to := unsafe.Slice((*byte)(unsafe.Pointer(reason)), room)
		to[copy(to[:room-1], words)] = 0
	}
	return 1
}

func main() {}
