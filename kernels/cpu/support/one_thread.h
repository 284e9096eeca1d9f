#pragma once

namespace acceld::kernels::cpu {

// Makes libraries that use OpenMP (oneDNN, OpenBLAS) run on the calling thread alone, in all
// further calls from this thread. After the first call on a thread it costs nothing. Otherwise
// these libraries would use as many threads as OpenMP says: a second set beside HelperPool's, which
// wait for each other by spinning, and that costs milliseconds on busy cores.
void KeepToOneThread();

}  // namespace acceld::kernels::cpu
