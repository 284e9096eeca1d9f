#pragma once

#include <pthread.h>

#include <string>
#include <thread>
#include <utility>

namespace acceld {

// Starts a thread that calls `run`. Tools such as top show its name, of which the kernel keeps 15
// characters.
template <typename Run>
std::thread StartThread(const std::string& name, Run run) {
  std::thread thread(std::move(run));
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  return thread;
}

}  // namespace acceld
