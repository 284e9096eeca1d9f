#pragma once

#include <string>
#include <vector>

#include "client/program.h"

namespace acceld::client {

struct Program::State {
  ir::Module module;
  std::string entry;
  Digest fingerprint;
  std::vector<ir::TensorType> parameter_types, result_types;
};

}  // namespace acceld::client
