#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace acceld::testing {

// From now on the system's resolver gives these IP addresses for the name, in this order, in this
// process. Nobody knows names in ".invalid", and others are looked up as ever. (getaddrinfo is
// replaced in programs that link this.)
void SetName(const std::string& name, std::vector<std::string> ips);
// The same, as slowly as a resolver whose servers do not answer.
void SetSlowName(const std::string& name, std::vector<std::string> ips,
                 std::chrono::milliseconds delay);

}  // namespace acceld::testing
