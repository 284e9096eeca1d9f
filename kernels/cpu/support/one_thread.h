#pragma once

namespace acceld::kernels::cpu {

// Makes libraries that thread with OpenMP use the calling thread alone, from now on; it costs
// nothing after the first call on a thread. They ask OpenMP how many threads to plan for and to
// start; those would be a second set beside HelperPool's, and they wait for each other by spinning,
// which on busy cores costs milliseconds.
void KeepToOneThread();

}  // namespace acceld::kernels::cpu
