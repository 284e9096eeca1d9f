#pragma once

#include <functional>
#include <memory>

#include "server/hal/cuda/driver.h"

// What the fakes of libraries that work on streams share.

// Functions of fake_driver.cc.
extern "C" int cuLaunchHostFunc(acceld::hal::cuda::CuStream stream, void (*function)(void*),
                                void* data);
// Notes the call; what it is to answer at once, if not 0: without a current device, on one that is
// broken, or for FakeCuda::Fail.
extern "C" int FakeCudaBegin(const char* function);
extern "C" bool FakeCudaHasDevice();
// Of objects that are to be given back.
extern "C" void FakeCudaCount(int change);

namespace acceld::testing::fake {

// What the fakes leave in workspaces, and in what their originals destroy.
inline constexpr int kGarbage = 0x3c;

inline int RunOnStream(void* stream, std::function<void()> work) {
  return cuLaunchHostFunc(
      static_cast<hal::cuda::CuStream>(stream),
      [](void* data) {
        (*std::unique_ptr<std::function<void()>>(static_cast<std::function<void()>*>(data)))();
      },
      new std::function<void()>(std::move(work)));
}

}  // namespace acceld::testing::fake
