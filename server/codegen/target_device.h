#pragma once

#include <memory>

#include "server/codegen/code_generator.h"
#include "server/hal/device.h"

namespace acceld::codegen {

// A device and the code generator for it; neither is nullptr. The generator may share ownership of
// parts of the device, to measure algorithms on it, but it does not refer to `device`, which may be
// destroyed first.
struct TargetDevice {
  std::unique_ptr<hal::Device> device;
  std::unique_ptr<const CodeGenerator> generator;
};

}  // namespace acceld::codegen
