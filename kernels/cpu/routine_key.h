#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/routine.h"

namespace acceld::kernels::cpu {

// Encodes a routine's call as an array of integers, in which form generated code passes it to the
// run-time support (RoutineFunction in support_abi.h): the routine, its parameters, the rank of its
// batch, the types of the operands, the types of the results. Each list is preceded by its length.
// A type is its dtype and the list of its dimensions.
inline std::vector<int64_t> RoutineKeyOf(const RoutineCall& call) {
  std::vector<int64_t> fields = {static_cast<int64_t>(call.routine)};
  const auto add_list = [&](const auto& list) {
    fields.push_back(static_cast<int64_t>(list.size()));
    fields.insert(fields.end(), list.begin(), list.end());
  };
  add_list(call.parameters);
  fields.push_back(BatchRankOf(call));
  for (const std::vector<ir::TensorType>* types : {&call.operands, &call.results}) {
    fields.push_back(static_cast<int64_t>(types->size()));
    for (const ir::TensorType& type : *types) {
      fields.push_back(static_cast<int64_t>(type.dtype));
      add_list(type.dims);
    }
  }
  return fields;
}

// Reads the integers and the lists of an array that RoutineKeyOf has made, one after the other. The
// array is borrowed and not checked.
class RoutineKeyReader {
 public:
  explicit RoutineKeyReader(const int64_t* fields) : next_(fields) {}

  int64_t Next() { return *next_++; }
  std::vector<int64_t> NextList() {
    const int64_t size = Next();
    next_ += size;
    return std::vector<int64_t>(next_ - size, next_);
  }

 private:
  const int64_t* next_;
};

}  // namespace acceld::kernels::cpu
