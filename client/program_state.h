#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/program.h"
#include "common/ir/op_numbers.h"
#include "common/threads/mutex.h"

namespace acceld::client {

struct Program::State {
  ir::Module module;
  std::string entry;
  Digest fingerprint;
  std::shared_ptr<const ir::OpPlaces> places;  // Not null. Errors outlive the program.
  std::vector<ir::TensorType> parameter_types, result_types;
  bool has_static_results = false;
  std::vector<int64_t> host_callbacks;  // the numbers that it calls, ascending
  // Where it has not: what was found for arguments of these types.
  mutable Mutex mutex;
  mutable absl::flat_hash_map<std::vector<ir::TensorType>, std::vector<ir::TensorType>>
      results_by_arguments ABSL_GUARDED_BY(mutex);
};

}  // namespace acceld::client
