#pragma once

namespace acceld::kernels::cpu {

// Makes libraries that use OpenMP (oneDNN, OpenBLAS) run on the calling thread alone, in all
// further calls from this thread. Otherwise these libraries would start threads of their own, in
// addition to those of HelperPool. Such threads wait for each other by spinning, which costs
// milliseconds on busy cores. After the first call on a thread this function costs nothing.
void DisableOpenMpThreads();

}  // namespace acceld::kernels::cpu
