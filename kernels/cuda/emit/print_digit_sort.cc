#include "kernels/cuda/emit/print_digit_sort.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/cuda/emit/context/launch_size.h"
#include "kernels/cuda/emit/kernel_frame.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kDigits = 256;
constexpr int64_t kDigitsOfBlock = 8;  // digits that a block of SumDigits sums at a time

}  // namespace

CudaKernel PrintDigitSort(const Kernel& kernel) {
  ACCELD_CHECK(kernel.digit_sort.has_value());
  const DigitSort& sort = *kernel.digit_sort;
  const int64_t tiles = sort.rows * sort.tiles();
  const auto name = [&kernel](size_t i) { return kernel.buffers[i].name; };
  // The buffers are keys and values, sorted keys and values, and the starts.
  const size_t moved = sort.has_values ? 2 : 1;
  CudaKernel out{.threads = kThreads, .has_barriers = true};
  std::string call;
  switch (sort.part) {
    case DigitSort::Part::kCount:
      out.blocks = tiles;
      call = absl::StrCat("CountDigits(sort, ", name(0), ", ", name(2 * moved), ")");
      break;
    case DigitSort::Part::kSum:
      out.blocks = sort.rows * kDigits / kDigitsOfBlock;
      call = absl::StrCat("SumDigits(sort, ", name(2 * moved), ")");
      break;
    case DigitSort::Part::kMove: {
      out.blocks = tiles;
      const std::string values = sort.has_values ? name(1) : "(const u8*)nullptr";
      const std::string to = sort.has_values ? name(moved + 1) : "(u8*)nullptr";
      call = absl::StrCat("MoveByDigit<", sort.has_values ? "true" : "false", ">(sort, ", name(0),
                          ", ", values, ", ", name(moved), ", ", to, ", ", name(2 * moved), ")");
      break;
    }
  }
  out.blocks = std::min(out.blocks, kMaxBlocks);
  const std::string body =
      absl::StrCat("  const DigitSort sort{", sort.rows, ", ", sort.length, "u, ", sort.tile, "u, ",
                   sort.tiles(), "u};\n  ", call, ";\n");
  out.source = KernelFunction(kernel, {.threads = kThreads}, body);
  return out;
}

}  // namespace acceld::kernels::cuda
