#include "common/ir/verify/memory_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/memory/allocation.h"

namespace acceld::ir {
namespace {

// An op of fifteen bytes in a file can have kilobytes of attributes, which it shares with other
// ops, and one of thirty characters can be replaced by hundreds of ops.
constexpr int64_t kBytesPerInputByte = 512;
constexpr int64_t kLeastBytes = int64_t{128} << 20;
constexpr int64_t kMostBytes = int64_t{2} << 30;
// A large input consists mostly of constants. The input and the constants that are read from it
// exist at the same time for a while.
constexpr int64_t kBytesPerConstantByte = 4;

// How much larger than the program all copies together may be.
constexpr int64_t kBytesPerProgramByte = 4;

// Returns least + factor * bytes, but at most `most`, which must be above `least`.
int64_t Limit(int64_t bytes, int64_t factor, int64_t least, int64_t most) {
  return bytes >= (most - least) / factor ? most : least + factor * bytes;
}

}  // namespace

MemoryBudget MemoryBudget::ForReading(int64_t input_bytes) {
  const int64_t limit = Limit(input_bytes, kBytesPerInputByte, kLeastBytes, kMostBytes);
  const int64_t of_constants = kLeastBytes + kBytesPerConstantByte * input_bytes;
  return MemoryBudget(input_bytes, "of input", std::max(limit, of_constants));
}

MemoryBudget MemoryBudget::ForCopies(int64_t program_bytes) {
  const int64_t most = std::max(kMostBytes, program_bytes);
  return MemoryBudget(program_bytes, "of program",
                      Limit(program_bytes, kBytesPerProgramByte, kLeastBytes, most));
}

absl::Status MemoryBudget::Charge(int64_t bytes, absl::string_view what) {
  if (bytes <= limit_bytes_ - used_bytes_) {
    used_bytes_ += bytes;
    return CheckMayContinue(what);
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(what, ": the program would take more than ", limit_bytes_,
                   " bytes of memory, the budget for ", source_bytes_, " bytes ", source_));
}

}  // namespace acceld::ir
