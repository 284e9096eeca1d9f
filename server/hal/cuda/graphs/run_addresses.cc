#include "server/hal/cuda/graphs/run_addresses.h"

namespace acceld::hal::cuda {
namespace {

using kernels::Slice;

CuPointer AddressOf(const Buffer& buffer) { return reinterpret_cast<CuPointer>(buffer.address()); }

}  // namespace

CuPointer RunAddresses::Of(const Slice& slice) const {
  CuPointer base = 0;
  switch (slice.space) {
    case Slice::Space::kArgument:
      base = AddressOf(*launch_.arguments[slice.index]);
      break;
    case Slice::Space::kResult:
      base = AddressOf(*launch_.results[slice.index]);
      break;
    case Slice::Space::kArena:
      base = Arena();
      break;
    case Slice::Space::kConstant:
      base = module_.constants();
      break;
  }
  return base + static_cast<CuPointer>(slice.offset_bytes);
}

kernels::cuda::Matmul::DeviceAddresses RunAddresses::Of(const kernels::MatmulStep& step) const {
  const kernels::MatmulEpilogue& epilogue = step.epilogue;
  return {.lhs = Of(step.lhs),
          .rhs = Of(step.rhs),
          .out = Of(step.out),
          .bias = epilogue.has_bias ? Of(epilogue.bias) : 0,
          .addend = epilogue.has_addend() ? Of(epilogue.addend) : 0,
          .workspace = workspace_};
}

CuPointer RunAddresses::cancelled() const {
  return reinterpret_cast<CuPointer>(&fence_.shared->cancelled);
}

std::vector<CuPointer> RunAddresses::Bases() const {
  std::vector<CuPointer> bases;
  for (const auto& argument : launch_.arguments) bases.push_back(AddressOf(*argument));
  for (const auto& result : launch_.results) bases.push_back(AddressOf(*result));
  bases.push_back(Arena());
  bases.push_back(module_.constants());
  bases.push_back(cancelled());
  return bases;
}

CuPointer RunAddresses::Arena() const {
  return launch_.arena == nullptr ? 0 : AddressOf(*launch_.arena);
}

}  // namespace acceld::hal::cuda
