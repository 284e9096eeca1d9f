#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/program.h"
#include "common/ir/op_numbers.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// What the copies of a Program share.
struct Program::State {
  ir::Module module;
  std::string entry;
  Digest fingerprint;
  // Never nullptr. Shared with ProgramLocations, because errors may outlive the program.
  std::shared_ptr<const ir::OpLocations> source_locations;
  std::vector<ir::TensorType> parameter_types, result_types;
  // Whether the result types do not depend on the argument types.
  bool has_static_results = false;
  std::vector<int64_t> host_callbacks;  // Numbers of the callbacks it may call, ascending.
  // If the results are not static: the result types computed so far, by argument types.
  mutable Mutex mutex;
  mutable absl::flat_hash_map<std::vector<ir::TensorType>, std::vector<ir::TensorType>>
      results_by_arguments ABSL_GUARDED_BY(mutex);
};

}  // namespace acceld::client
