#include "server/compiler/plan/constants.h"

#include "common/crypto/digest.h"

namespace acceld::compiler {
namespace {

bool StoresAllElements(const ir::Literal& value) {
  return static_cast<int64_t>(value.bytes().size()) == value.type().size_bytes();
}

Digest DigestOfElements(const ir::Literal& value) {
  return StoresAllElements(value) ? DigestOf(value.bytes()) : DigestOf(value.DenseBytes());
}

}  // namespace

kernels::Slice ConstantBlock::Add(const ir::Literal& value) {
  kernels::Slice slice;
  slice.space = kernels::Slice::Space::kConstant;
  slice.size_bytes = value.type().size_bytes();
  const Digest digest = DigestOfElements(value);
  const absl::string_view digest_bytes = digest.AsBytes();
  auto [it, added] = offsets_.try_emplace(std::string(digest_bytes.data(), digest_bytes.size()), 0);
  if (added) {
    it->second = (size_bytes_ + kernels::kBufferAlignment - 1) / kernels::kBufferAlignment *
                 kernels::kBufferAlignment;
    size_bytes_ = it->second + slice.size_bytes;
    placed_.push_back({value, it->second});
  }
  slice.offset_bytes = it->second;
  return slice;
}

std::string ConstantBlock::Take() {
  std::string block;
  block.reserve(static_cast<size_t>(size_bytes_));
  for (const auto& [value, offset_bytes] : placed_) {
    block.resize(static_cast<size_t>(offset_bytes));
    if (StoresAllElements(value)) {
      block.append(value.bytes().data(), value.bytes().size());
    } else {
      block += value.DenseBytes();
    }
  }
  placed_.clear();
  return block;
}

}  // namespace acceld::compiler
