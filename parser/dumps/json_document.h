// A JSON file as a Document, so that dumps that exist in both forms have one consumer.
#pragma once

#include <string_view>

#include "base/result.h"
#include "parser/dumps/document.h"

namespace firstfault {

// As read_pickle: a file that ends early gives what was complete, with truncated() set. Equal
// strings share one place of the document's text.
Result<Document> read_json(std::string_view bytes, const DumpLimits& limits = {});

}  // namespace firstfault
