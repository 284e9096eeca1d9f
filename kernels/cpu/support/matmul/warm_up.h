#pragma once

namespace acceld::kernels::cpu {

// Makes oneDNN generate the code that all matrix products use, which takes tens of milliseconds.
// Works once in a process; a product that is computed meanwhile waits for it. To be called by a
// thread of its own when a device is opened, as it would delay the first product otherwise.
void WarmUpMatmuls();

}  // namespace acceld::kernels::cpu
