#pragma once

namespace acceld::kernels::cpu {

// Has the library of matrix products generate the code that all of them use, which takes tens of
// milliseconds, once in a process; a product that comes meanwhile waits for the rest of that. For a
// thread of its own, when a device begins: the first product would be so much later.
void WarmUpMatmuls();

}  // namespace acceld::kernels::cpu
