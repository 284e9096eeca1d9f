#include "client/pjrt/transfer/host_copy.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace acceld::pjrt {
namespace {

// Calls copy(dense, strided, bytes) for each run of elements that is contiguous in both arrays;
// `dense` and `strided` are offsets in bytes.
template <typename Copy>
void ForEachRun(const ir::TensorType& type, absl::Span<const int64_t> byte_strides, Copy copy) {
  if (type.num_elements() == 0) return;
  int64_t run_bytes = ir::StorageBytesOf(type.dtype);
  int64_t outer = type.rank();
  while (outer > 0 && (type.dims[outer - 1] == 1 || byte_strides[outer - 1] == run_bytes)) {
    run_bytes *= type.dims[--outer];
  }
  ir::Dims index(outer, 0);
  int64_t dense = 0, strided = 0;
  while (true) {
    copy(dense, strided, static_cast<size_t>(run_bytes));
    dense += run_bytes;
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      strided += byte_strides[dim];
      if (++index[dim] < type.dims[dim]) break;
      strided -= byte_strides[dim] * type.dims[dim];
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

bool IsBelowByte(ir::DType dtype) {
  return dtype == ir::DType::kI1 || (ir::IsInteger(dtype) && ir::BitsOf(dtype) < 8);
}

// Extends the lowest `bits` bits of `byte` to the whole byte, with the sign or with zeros.
char Extend(char byte, int bits, bool is_signed) {
  const int shift = 8 - bits;
  const auto left = static_cast<uint8_t>(static_cast<uint8_t>(byte) << shift);
  return is_signed ? static_cast<char>(static_cast<int8_t>(left) >> shift)
                   : static_cast<char>(left >> shift);
}

char NormalizedByte(ir::DType dtype, char byte) {
  if (dtype == ir::DType::kI1) return byte != 0 ? 1 : 0;
  return Extend(byte, ir::BitsOf(dtype), ir::IsSigned(dtype));
}

}  // namespace

bool IsRowMajor(const ir::TensorType& type, absl::Span<const int64_t> byte_strides) {
  if (type.num_elements() == 0) return true;
  int64_t expected = ir::StorageBytesOf(type.dtype);
  for (int64_t dim = type.rank() - 1; dim >= 0; --dim) {
    if (type.dims[dim] != 1 && byte_strides[dim] != expected) return false;
    expected *= type.dims[dim];
  }
  return true;
}

void Gather(const ir::TensorType& type, const char* from, absl::Span<const int64_t> byte_strides,
            char* to) {
  ForEachRun(type, byte_strides, [&](int64_t dense, int64_t strided, size_t bytes) {
    std::memcpy(to + dense, from + strided, bytes);
  });
}

void Scatter(const ir::TensorType& type, const char* from, char* to,
             absl::Span<const int64_t> byte_strides) {
  ForEachRun(type, byte_strides, [&](int64_t dense, int64_t strided, size_t bytes) {
    std::memcpy(to + strided, from + dense, bytes);
  });
}

absl::StatusOr<ir::Dims> StridesOf(const PJRT_Buffer_MemoryLayout& layout,
                                   const ir::TensorType& type) {
  const auto rank = static_cast<size_t>(type.rank());
  const auto wrong_rank = [&](size_t given) {
    return absl::InvalidArgumentError(
        absl::StrCat("a layout of ", given, " dimensions for ", type.ToString()));
  };
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const auto& strides = layout.strides;
    if (strides.num_byte_strides != rank) return wrong_rank(strides.num_byte_strides);
    return ir::Dims(strides.byte_strides, strides.byte_strides + rank);
  }
  const auto& tiled = layout.tiled;
  if (tiled.num_tiles != 0) {
    return absl::UnimplementedError("acceld has no tiled layouts of host memory");
  }
  if (tiled.minor_to_major_size != rank) return wrong_rank(tiled.minor_to_major_size);
  ir::Dims strides(rank, 0);
  int64_t stride = ir::StorageBytesOf(type.dtype);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = tiled.minor_to_major[i];
    if (dim < 0 || dim >= type.rank() || strides[dim] != 0) {
      return absl::InvalidArgumentError(absl::StrCat("the layout's dimension ", dim,
                                                     " is out of range or there twice, for ",
                                                     type.ToString()));
    }
    strides[dim] = stride;
    stride *= std::max<int64_t>(type.dims[dim], 1);
  }
  return strides;
}

bool NeedsNormalizing(ir::DType dtype, const char* bytes, size_t size_bytes) {
  return IsBelowByte(dtype) && std::any_of(bytes, bytes + size_bytes, [&](char byte) {
           return byte != NormalizedByte(dtype, byte);
         });
}

void Normalize(ir::DType dtype, absl::Span<char> bytes) {
  if (!IsBelowByte(dtype)) return;
  for (char& byte : bytes) byte = NormalizedByte(dtype, byte);
}

}  // namespace acceld::pjrt
