#include "replay/cuda_table.h"

namespace firstfault::replay {

Result<CudaTable> CudaTable::load(const std::string& preferred) {
  std::vector<std::string> names = {"libcudart.so", "libcudart.so.13", "libcudart.so.12",
                                    "libcudart.so.11.0"};
  if (!preferred.empty()) names = {preferred};
  Result<DynamicLibrary> opened = DynamicLibrary::open(names);
  if (!opened) return opened.error().in("CUDA runtime");
  CudaTable t;
  t.handle_ = std::make_shared<DynamicLibrary>(std::move(*opened));
  const DynamicLibrary& lib = *t.handle_;
  t.library = lib.path();
  for (const Status& found :
       {lib.find("cudaGetDeviceCount", &t.get_device_count), lib.find("cudaSetDevice", &t.set_device),
        lib.find("cudaDeviceGetPCIBusId", &t.device_get_pci_bus_id),
        lib.find("cudaRuntimeGetVersion", &t.runtime_get_version),
        lib.find("cudaDriverGetVersion", &t.driver_get_version), lib.find("cudaMalloc", &t.malloc),
        lib.find("cudaFree", &t.free), lib.find("cudaMemcpy", &t.memcpy),
        lib.find("cudaStreamCreateWithFlags", &t.stream_create),
        lib.find("cudaStreamDestroy", &t.stream_destroy), lib.find("cudaStreamQuery", &t.stream_query),
        lib.find("cudaGetErrorName", &t.get_error_name),
        lib.find("cudaGetErrorString", &t.get_error_string)}) {
    if (!found) return found.error().in("CUDA runtime");
  }
  return t;
}

}  // namespace firstfault::replay
