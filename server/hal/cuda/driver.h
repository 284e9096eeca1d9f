#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// The driver's handles, opaque here as there, and addresses on devices.
using CuContext = struct CuContextHandle*;
using CuStream = struct CuStreamHandle*;
using CuEvent = struct CuEventHandle*;
using CuModule = struct CuModuleHandle*;
using CuFunction = struct CuFunctionHandle*;
using CuMemoryPool = struct CuMemoryPoolHandle*;
using CuPointer = uint64_t;

// CUmemPoolProps: memory of `location_type` 1, a device, `allocation_type` 1, pinned there.
struct CuMemoryPoolProperties {
  int allocation_type = 1;
  int handle_types = 0;
  int location_type = 1;
  int location_id = 0;
  void* security_attributes = nullptr;
  size_t max_bytes = 0;  // 0: the device's memory
  unsigned char reserved[56] = {};
};
static_assert(sizeof(CuMemoryPoolProperties) == 88);

// NVIDIA's driver, opened when it is first asked for: a program that has it as a part starts on
// machines without it. A table of its functions, so that tests bring their own. Any thread may
// call.
struct Driver {
  using Result = int;  // CUresult
  static constexpr Result kOutOfMemory = 2;
  static constexpr Result kNotReady = 600;  // of a query

  // That of this machine, initialized. FAILED_PRECONDITION, always the same, with what was looked
  // for or what the driver said when there is none to use.
  static const absl::StatusOr<Driver>& Get();

  // OK, or what the driver says of `result` of `what`.
  absl::Status Check(Result result, absl::string_view what) const;

#define ACCELD_CUDA_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "server/hal/cuda/driver_symbols.def"
};

}  // namespace acceld::hal::cuda
