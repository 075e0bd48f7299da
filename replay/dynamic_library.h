// A shared library opened at run time, so that the worker builds and starts where CUDA and NCCL are absent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace firstfault::replay {

class DynamicLibrary {
 public:
  // Opens the first of `names` that loads; the error lists what was tried and the loader's last word.
  static Result<DynamicLibrary> open(const std::vector<std::string>& names);

  // Sets *function to the symbol, or says which one is missing.
  template <typename Function>
  Status find(const char* symbol, Function** function) const {
    void* address = look_up(symbol);
    if (address == nullptr) return Error{name_ + " has no symbol " + symbol};
    *function = reinterpret_cast<Function*>(address);
    return Done{};
  }
  // The same for a symbol that older versions lack: *function stays nullptr.
  template <typename Function>
  void find_optional(const char* symbol, Function** function) const {
    *function = reinterpret_cast<Function*>(look_up(symbol));
  }

  const std::string& name() const { return name_; }
  std::string path() const;  // of the file that was loaded

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  void* look_up(const char* symbol) const;

  std::string name_;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace firstfault::replay
