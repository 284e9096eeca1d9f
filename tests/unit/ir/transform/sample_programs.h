#pragma once

#include <string>
#include <vector>

// Programs to be transformed.
namespace acceld::ir {

struct SampleProgram {
  std::string text;  // of a module whose function is "main"
  // Arguments of floats are between these.
  double low = 0.3, high = 1.7;
};

struct SampleFamily {
  std::string name;
  std::vector<SampleProgram> programs;
};

const std::vector<SampleFamily>& SampleFamilies();

}  // namespace acceld::ir
