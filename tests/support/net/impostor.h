#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace acceld::testing {

// Somebody who listens on the loopback where a server should, and answers whatever comes with the
// same.
class Impostor {
 public:
  // `forever`: once somebody has asked, the answer is repeated until the asker hangs up.
  explicit Impostor(std::string answer, bool forever = false);
  ~Impostor();
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;

  const std::string& address() const { return address_; }  // "127.0.0.1:PORT"

 private:
  void Serve();

  const std::string answer_;
  const bool forever_;
  int listener_ = -1;
  std::string address_;
  std::thread thread_;
};

}  // namespace acceld::testing
