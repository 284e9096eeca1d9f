#include "kernels/cuda/emit/print_digit_sort.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kDigits = 256;
constexpr int64_t kDigitsOfBlock = 8;  // digits that a block of SumDigits sums at a time
constexpr int64_t kMaxBlocks = 4096;

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
  std::vector<std::string> parameters;
  std::string places;
  for (const BufferParameter& buffer : kernel.buffers) {
    const bool reads = buffer.access == BufferParameter::Access::kRead;
    parameters.push_back(
        absl::StrCat(reads ? "const " : "", RegisterType(buffer.dtype), "* ", buffer.name));
    absl::StrAppend(&places, "  ", buffer.name, " = ResolvePointer(", buffer.name, ");\n");
  }
  out.source = absl::StrCat("extern \"C\" __global__ void __launch_bounds__(", kThreads, ")\n",
                            kernel.name, "(", absl::StrJoin(parameters, ", "), ") {\n", places,
                            "  const DigitSort sort{", sort.rows, ", ", sort.length, "u, ",
                            sort.tile, "u, ", sort.tiles(), "u};\n  ", call, ";\n}\n");
  return out;
}

}  // namespace acceld::kernels::cuda
