// How the daemon's heap, jemalloc, behaves. It looks for a variable of this name.

// A thread of the heap's own gives back to the system what nobody has used for some seconds;
// otherwise that waits for the next request, which after a busy hour may be long in coming.
extern "C" const char* const malloc_conf;
extern "C" const char* const malloc_conf = "background_thread:true";
