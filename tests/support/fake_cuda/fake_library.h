#pragma once

#include <functional>

#include "server/hal/cuda/driver/driver.h"

// What the fakes of libraries that work on streams share.

// Functions of fake_driver.cc.
// Enqueues a copy of `work`, which may run several times: it may become a node of a graph.
extern "C" int FakeCudaEnqueue(acceld::hal::cuda::CuStream stream,
                               const std::function<void()>& work);
// Notes the call; what it is to answer at once, if not 0: without a current device, on one that is
// broken, or for FakeCuda::Fail.
extern "C" int FakeCudaBegin(const char* function);
extern "C" bool FakeCudaHasDevice();
// Of objects that are to be given back.
extern "C" void FakeCudaCount(int change);

namespace acceld::testing::fake {

// What the fakes leave in workspaces, and in what their originals destroy.
inline constexpr int kGarbage = 0x3c;

inline int RunOnStream(void* stream, const std::function<void()>& work) {
  return FakeCudaEnqueue(static_cast<hal::cuda::CuStream>(stream), work);
}

}  // namespace acceld::testing::fake
