// The tables of a GPU core dump as a tree of rows. Internal to parser/dumps/gpu_core.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/dumps/elf.h"

namespace firstfault {

// Section types, less 0x80000000 (cudacoredump.h).
enum class GpuTable : std::uint32_t {
  relocated_image = 7,
  devices = 9,
  contexts = 10,
  sms = 11,
  grids = 12,
  blocks = 13,
  warps = 14,
  lanes = 15,
  modules = 16,
  meta = 22,
};

// Rows of one table.
class GpuRows {
 public:
  GpuRows() = default;
  // A stride of 0 means one row.
  GpuRows(std::string bytes, std::uint64_t stride, std::size_t limit);
  std::size_t size() const { return count_; }
  std::string_view row(std::size_t i) const {
    return std::string_view(bytes_).substr(i * stride_, stride_);
  }

 private:
  std::string bytes_;
  std::size_t stride_ = 0, count_ = 0;
};

class GpuTree {
 public:
  static Result<GpuTree> read(const RandomBytes& bytes, ElfWork* work);
  // All tables of a type, in file order.
  const std::vector<const ElfSection*>& all(GpuTable type) const;
  // The table of a type below row `row` of table `parent`; nullptr when there is none.
  const ElfSection* below(GpuTable type, std::uint32_t parent, std::uint32_t row) const;
  const ElfSection* section(std::uint32_t index) const { return elf_.section(index); }
  // Empty when the table cannot be read within the budget.
  GpuRows rows(const ElfSection* table) const;

 private:
  struct Branch {
    std::uint32_t type, parent, row;
    const ElfSection* table;
  };
  explicit GpuTree(ElfFile elf) : elf_(std::move(elf)) {}
  void index();

  ElfFile elf_;
  std::vector<Branch> branches_;  // sorted
  std::vector<std::vector<const ElfSection*>> by_type_;
};

}  // namespace firstfault
