#pragma once

namespace acceld {

// The calling thread, which computes or compiles, from now on gets about a third of what others of
// this process get of a processor that several threads want: those that answer clients have little
// to do each time, and many wait for it. Nothing changes while there are processors enough. Threads
// that hold locks for long should not call this. Says nothing where the system refuses.
void LowerThreadPriority();

}  // namespace acceld
