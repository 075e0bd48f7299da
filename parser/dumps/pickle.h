// A reader of pickles for data only: nothing in a file can name a class or run code.
//
// Accepts what PyTorch's TorchScript pickler writes (protocol 2:
// torch/csrc/jit/serialization/pickler.cpp) and the framing, short strings and memoising of
// protocol 4 and 5, as Python's pickle.dump writes for plain dicts, lists, tuples, strings,
// numbers, booleans and None. Every other opcode (GLOBAL, REDUCE, BUILD, NEWOBJ, PERSID, INST, OBJ,
// STACK_GLOBAL, EXT1 ...) is refused:
//
//   read_pickle("\x80\x02" "cos\nsystem\n...")   // error: "opcode GLOBAL at offset 2 is not
//   allowed"
//
// Work is linear in the input, memory is bounded by DumpLimits, nothing recurses. Text stays in
// `bytes`, which must outlive the document.
#pragma once

#include <string_view>

#include "base/result.h"
#include "parser/dumps/document.h"

namespace firstfault {

// A file that ends early gives what was complete, with truncated() set, if a container had been
// opened.
Result<Document> read_pickle(std::string_view bytes, const DumpLimits& limits = {});

// Name of an opcode as pickletools prints it, "unknown" for a byte that is none.
std::string_view pickle_opcode_name(unsigned char opcode);

}  // namespace firstfault
