#pragma once

#include <pthread.h>

#include <string>
#include <thread>
#include <utility>

namespace acceld {

// A thread that runs `run`, under a name that tools such as top show: the kernel keeps 15
// characters of it.
template <typename Run>
std::thread StartThread(const std::string& name, Run run) {
  std::thread thread(std::move(run));
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  return thread;
}

}  // namespace acceld
