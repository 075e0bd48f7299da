// The few functions of CUDA's runtime that replay needs, resolved at run time (libcudart, which loads
// the driver). Numbers and signatures are those of cuda_runtime_api.h since CUDA 11; where that header
// is found at build time, cuda_check.cpp compares them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "replay/dynamic_library.h"

namespace firstfault::replay {

using CudaResult = int;          // cudaError_t
using CudaStream = void*;        // cudaStream_t
using CudaEvent = void*;         // cudaEvent_t
inline constexpr CudaResult kCudaSuccess = 0;
inline constexpr CudaResult kCudaNotReady = 600;
enum class CudaCopy : int { host_to_device = 1, device_to_host = 2 };

struct CudaTable {
  // Names are tried in order; `preferred` first when it is not empty.
  static Result<CudaTable> load(const std::string& preferred);

  CudaResult (*get_device_count)(int*) = nullptr;
  CudaResult (*set_device)(int) = nullptr;
  CudaResult (*device_get_pci_bus_id)(char*, int, int) = nullptr;
  CudaResult (*runtime_get_version)(int*) = nullptr;
  CudaResult (*driver_get_version)(int*) = nullptr;
  CudaResult (*malloc)(void**, std::size_t) = nullptr;
  CudaResult (*free)(void*) = nullptr;
  CudaResult (*memcpy)(void*, const void*, std::size_t, CudaCopy) = nullptr;
  CudaResult (*stream_create)(CudaStream*, unsigned) = nullptr;
  CudaResult (*stream_destroy)(CudaStream) = nullptr;
  CudaResult (*stream_query)(CudaStream) = nullptr;
  const char* (*get_error_name)(CudaResult) = nullptr;
  const char* (*get_error_string)(CudaResult) = nullptr;

  std::string library;  // path of the loaded file

 private:
  std::shared_ptr<DynamicLibrary> handle_;
};

}  // namespace firstfault::replay
