#include "server/compiler/plan/constants.h"

#include "common/crypto/digest.h"

namespace acceld::compiler {

kernels::Slice ConstantBlock::Add(const ir::Literal& value) {
  const std::string content = value.DenseBytes();
  kernels::Slice slice;
  slice.space = kernels::Slice::Space::kConstant;
  slice.size_bytes = static_cast<int64_t>(content.size());
  const Digest digest = DigestOf(content);
  const absl::string_view digest_bytes = digest.AsBytes();
  auto [it, added] = offsets_.try_emplace(std::string(digest_bytes.data(), digest_bytes.size()), 0);
  if (added) {
    bytes_.resize((bytes_.size() + kernels::kBufferAlignment - 1) / kernels::kBufferAlignment *
                  kernels::kBufferAlignment);
    it->second = static_cast<int64_t>(bytes_.size());
    bytes_ += content;
  }
  slice.offset_bytes = it->second;
  return slice;
}

}  // namespace acceld::compiler
