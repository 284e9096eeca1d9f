#pragma once

#include <cstdint>
#include <string>

// What this machine is, as far as sizing defaults needs to know.
namespace acceld::hal::cpu {

// The processor's model name, or "CPU" where the system does not say.
std::string ProcessorName();
// Cores this process may run on, at least 1.
int AvailableCores();
// Physical memory, or the control group's limit where that is lower.
int64_t AvailableMemoryBytes();

}  // namespace acceld::hal::cpu
