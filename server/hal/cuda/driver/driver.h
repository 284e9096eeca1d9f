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
using CuGraph = struct CuGraphHandle*;
using CuGraphNode = struct CuGraphNodeHandle*;
using CuGraphExec = struct CuGraphExecHandle*;
using CuGraphCondition = uint64_t;
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

// CUmemAccessDesc: what a device may do with a pool's memory.
struct CuMemoryAccess {
  int location_type = 1;  // a device
  int location_id = 0;
  int flags = 3;  // read and write
};

// CUDA_KERNEL_NODE_PARAMS_v3
struct CuKernelNode {
  CuFunction function = nullptr;
  unsigned int blocks_x = 1, blocks_y = 1, blocks_z = 1;
  unsigned int threads_x = 1, threads_y = 1, threads_z = 1;
  unsigned int shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  CuContext context = nullptr;
};

// CUDA_CHILD_GRAPH_NODE_PARAMS
struct CuChildNode {
  CuGraph graph = nullptr;  // is copied
  int ownership = 0;
};

// CUDA_CONDITIONAL_NODE_PARAMS
struct CuConditionalNode {
  static constexpr int kWhile = 1, kSwitch = 2;

  CuGraphCondition condition = 0;
  int type = 0;
  unsigned int size = 0;      // how many bodies
  CuGraph* bodies = nullptr;  // the driver's, once the node is there
  CuContext context = nullptr;
};

// CUgraphNodeParams
struct CuGraphNodeParameters {
  static constexpr int kKernel = 0, kChild = 4, kConditional = 13;

  explicit CuGraphNodeParameters(const CuKernelNode& node) : type(kKernel), all{} { kernel = node; }
  explicit CuGraphNodeParameters(const CuChildNode& node) : type(kChild), all{} { child = node; }
  explicit CuGraphNodeParameters(const CuConditionalNode& node) : type(kConditional), all{} {
    conditional = node;
  }

  int type;
  int reserved_before[3] = {};
  union {
    char all[232];  // zeros where nothing is
    CuKernelNode kernel;
    CuChildNode child;
    CuConditionalNode conditional;
  };
  long long reserved_after = 0;
};
static_assert(sizeof(CuKernelNode) == 72 && sizeof(CuGraphNodeParameters) == 256);

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

  // Whether graphs with loops and branches are there.
  bool HasGraphs() const;
  // Of how many streams a device takes work side by side.
  int connections = 32;

#define ACCELD_CUDA_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "server/hal/cuda/driver/driver_symbols.def"
};

}  // namespace acceld::hal::cuda
