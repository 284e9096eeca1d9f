#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace acceld::kernels::cpu {

// Results from this size on do not stay in caches until their readers come: their stores bypass
// them, which saves reading the lines that are written over.
inline constexpr int64_t kMinStreamedBytes = int64_t{16} << 20;

// Notes that `function` only writes the buffer that is its parameter `parameter`, and how much.
void MarkStreamed(llvm::Function& function, unsigned parameter);

// Makes the vector stores to marked buffers non-temporal, where their addresses are known to be
// aligned, and orders them before the function's return. After vectorization; on x86 only.
void StreamStores(llvm::Module& module);

}  // namespace acceld::kernels::cpu
