#pragma once

#include <memory>

#include "server/codegen/code_generator.h"
#include "server/hal/device.h"

namespace acceld::codegen {

// A device and what makes code for it. Neither is nullptr. The generator may share parts with the
// device, on which it measures; it does not need the device itself.
struct TargetDevice {
  std::unique_ptr<hal::Device> device;
  std::unique_ptr<const CodeGenerator> generator;
};

}  // namespace acceld::codegen
