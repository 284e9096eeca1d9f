#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// The opaque handle types of the CUDA driver API, and CuPointer, an address in device memory.
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

// CUmemPoolProps: the properties of a pool of pinned memory (allocation_type 1) on the device
// (location_type 1) with the handle `location_id`.
struct CuMemoryPoolProperties {
  int allocation_type = 1;
  int handle_types = 0;
  int location_type = 1;
  int location_id = 0;
  void* security_attributes = nullptr;
  size_t max_bytes = 0;  // 0: as much as the device has
  unsigned char reserved[56] = {};
};
static_assert(sizeof(CuMemoryPoolProperties) == 88);

// CUmemAccessDesc: the access that the device with the handle `location_id` has to a pool's memory.
struct CuMemoryAccess {
  int location_type = 1;  // 1: a device
  int location_id = 0;
  int flags = 3;  // 3: read and write
};

// CUDA_KERNEL_NODE_PARAMS_v3: a node that launches a kernel.
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

// CUDA_CHILD_GRAPH_NODE_PARAMS: a node that launches another graph.
struct CuChildNode {
  CuGraph graph = nullptr;  // copied into the node
  int ownership = 0;
};

// CUDA_CONDITIONAL_NODE_PARAMS: a node that repeats its body while `condition` is not 0 (kWhile),
// or runs the body with the number `condition` (kSwitch).
struct CuConditionalNode {
  static constexpr int kWhile = 1, kSwitch = 2;

  CuGraphCondition condition = 0;
  int type = 0;
  unsigned int size = 0;      // the number of bodies
  CuGraph* bodies = nullptr;  // owned by the driver, which sets it when the node is added
  CuContext context = nullptr;
};

// CUgraphNodeParams: the type of a node (CUgraphNodeType), and its parameters.
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
    char all[232];  // zeros, where the other members set nothing
    CuKernelNode kernel;
    CuChildNode child;
    CuConditionalNode conditional;
  };
  long long reserved_after = 0;
};
static_assert(sizeof(CuKernelNode) == 72 && sizeof(CuGraphNodeParameters) == 256);

// A table of the functions of NVIDIA's driver library (libcuda). The library is loaded at run time,
// so that the program also starts on machines without it. Tests fill the table with their own
// functions. Thread-safe.
struct Driver {
  using Result = int;  // CUresult
  static constexpr Result kOutOfMemory = 2;
  static constexpr Result kNotReady = 600;  // from cuEventQuery: the work has not ended

  // Loads and initializes the driver of this machine in the first call, and returns it. If that
  // fails, every call returns the same FAILED_PRECONDITION, whose message says why.
  static const absl::StatusOr<Driver>& Get();

  // Converts `result`, which the driver's function called `what` returned, to a status: OK,
  // RESOURCE_EXHAUSTED if memory is short, otherwise INTERNAL with the driver's description.
  absl::Status Check(Result result, absl::string_view what) const;

  // Whether the driver supports graphs with loops and branches (CUDA 12.8 or newer).
  bool HasGraphs() const;
  // On how many streams a device executes work concurrently (CUDA_DEVICE_MAX_CONNECTIONS).
  int connections = 32;

#define ACCELD_CUDA_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "server/hal/cuda/driver/driver_symbols.def"
};

}  // namespace acceld::hal::cuda
