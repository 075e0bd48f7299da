#include "replay/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

namespace firstfault::replay {

void DynamicLibrary::Close::operator()(void* handle) const { dlclose(handle); }

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
  std::string tried, reason;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      DynamicLibrary out;
      out.name_ = name;
      out.handle_.reset(handle);
      return out;
    }
    if (const char* why = dlerror()) reason = why;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  return Error{"cannot load " + tried + ": " + reason};
}

void* DynamicLibrary::look_up(const char* symbol) const { return dlsym(handle_.get(), symbol); }

std::string DynamicLibrary::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return name_;
  return map->l_name;
}

}  // namespace firstfault::replay
