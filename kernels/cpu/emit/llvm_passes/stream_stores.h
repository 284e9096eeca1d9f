#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace acceld::kernels::cpu {

// Results of at least this size would not stay in the caches until they are read. Stores to them
// bypass the caches, which saves reading the cache lines that are overwritten.
inline constexpr int64_t kMinStreamedBytes = int64_t{16} << 20;

// Marks a parameter of `function` as a buffer that the function only writes and whose stores
// StreamStores is to change. `parameter` is the number of the parameter.
void MarkStreamed(llvm::Function& function, unsigned parameter);

// Makes the vector stores to marked buffers non-temporal, where their addresses are known to be
// aligned, and adds a store fence before each return of the functions that have such stores. Runs
// after vectorization. Does nothing on processors other than x86.
void StreamStores(llvm::Module& module);

}  // namespace acceld::kernels::cpu
