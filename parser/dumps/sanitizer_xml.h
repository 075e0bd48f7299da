// compute-sanitizer's report in XML ("--xml --save f.xml"): what each bad access was, in which
// kernel and line. Format: recorded with compute-sanitizer 13.0.
//
//   <record><kind>Precise</kind><who><threadIdx><x>4</x>...</who><what><text>Invalid __global__
//   write of size 4 bytes is out of
//   bounds</text></what><where><func>f</func><path>/j/c.cu</path>...
#pragma once

#include <string_view>
#include <vector>

#include "model/facts.h"

namespace firstfault {

bool is_sanitizer_xml(std::string_view head);

// GpuException for bad accesses, one for each text and place with the number of threads as count
// and the first thread's place; CudaError for failed calls. At most 4,096 items, in order of place.
// Work and memory are linear in the file; a file that ends early gives what was complete.
std::deque<RecordItem> read_sanitizer_xml(std::string_view bytes);

}  // namespace firstfault
