#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "server/runtime/schedule/compute_stream.h"

namespace acceld::runtime {

// All compute streams of a device. One is the current one, to which executions are given; the spare
// ones are empty and can become current; the others have suspended executions or wait for a client.
//
// Guarded by the executor's mutex. Streams are destroyed by the caller, without that mutex, as they
// may have threads.
class ComputeStreams {
 public:
  explicit ComputeStreams(std::unique_ptr<ComputeStream> current);

  ComputeStream& current() const { return *current_; }
  const std::vector<std::unique_ptr<ComputeStream>>& all() const { return all_; }
  bool has_spare() const { return !spare_.empty(); }

  // Adds a new stream as a spare one.
  void Add(std::unique_ptr<ComputeStream> stream);
  // Makes a spare stream, which must exist, the current one. The one that was current is neither
  // current nor spare afterwards.
  void UseSpare();
  // Makes `stream` current, and the one that was current, which must be empty, a spare one.
  void Use(ComputeStream& stream);
  // Makes a stream that has become empty, and is not current, a spare one.
  void MakeSpare(ComputeStream& stream) { spare_.push_back(&stream); }
  // Takes a stream out that is neither current nor spare.
  std::unique_ptr<ComputeStream> Remove(const ComputeStream& stream);
  // Takes out the spare streams that were not needed since the last call.
  std::vector<std::unique_ptr<ComputeStream>> RemoveUnused();

 private:
  std::vector<std::unique_ptr<ComputeStream>> all_;
  ComputeStream* current_;
  std::vector<ComputeStream*> spare_;
  size_t least_spare_ = 0;  // the smallest size of `spare_` since the last call of RemoveUnused
};

}  // namespace acceld::runtime
