#pragma once

#include <cstdint>
#include <string>

// Properties of this machine from which the defaults for devices are computed.
namespace acceld::hal::cpu {

// Returns the processor's model name, or "CPU" if the system does not provide it.
std::string ProcessorName();
// Returns the number of cores on which this process may run, at least 1.
int AvailableCores();
// Returns the size of the physical memory, or the limit of the control group if that is lower.
int64_t AvailableMemoryBytes();

}  // namespace acceld::hal::cpu
