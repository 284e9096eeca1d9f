#pragma once

#include <map>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "server/compiler/spmd/canonical_mesh.h"

namespace acceld::compiler::spmd {

// Emits the ops with which one process exchanges values with others, and takes its part of values.
// Must not outlive the builder and the mesh. Thread-compatible.
class Exchange {
 public:
  // `process` is the number of the process, a scalar ui32. Emits ops at the builder's current
  // place, whose results later ops use.
  Exchange(ir::FunctionBuilder& builder, const CanonicalMesh& mesh, const ir::ProcessGrid& grid,
           ir::ValueId process);

  // OK, or the first error of the ops that were emitted, or that Note was given.
  const absl::Status& status() const { return status_; }
  void Note(const absl::Status& status) { status_.Update(status); }

  int64_t BytesOf(ir::ValueId value) const { return builder_.TypeOf(value).tensor().size_bytes(); }
  // Returns the number of the shard that the process has along `axes`, a scalar i32.
  ir::ValueId ShardAlong(absl::Span<const int> axes);
  // Returns the shard of `value` along `axes` of one of its dimensions.
  ir::ValueId Slice(ir::ValueId value, size_t dimension, const Axes& axes);
  // Puts the shards along `axes` of a dimension together. The axes are the last ones along which
  // the dimension is divided.
  ir::ValueId AllGather(ir::ValueId value, size_t dimension, const Axes& axes);
  // Puts dimension `from` together along `axes`, the last ones along which it is divided, and
  // divides dimension `to` further along them.
  ir::ValueId AllToAll(ir::ValueId value, size_t from, size_t to, const Axes& axes);
  // Combines the parts of a value along `axes` with `combiner` (Layout::combiner).
  ir::ValueId AllReduce(ir::ValueId value, const Axes& axes, ir::OpKind combiner);
  // Combines as AllReduce, and divides a dimension of the result further along the axes.
  ir::ValueId ReduceScatter(ir::ValueId value, size_t dimension, const Axes& axes,
                            ir::OpKind combiner);
  // Returns the value of partition 0 of the replica.
  ir::ValueId BroadcastFromFirst(ir::ValueId value);
  // Makes parts of a sum: the value in the first process along the axes, and zeros in the others.
  ir::ValueId AsParts(ir::ValueId value, const Axes& axes);
  // Makes parts of a sum of the shards along `axes`, the last ones along which a dimension is
  // divided: each process has its shard, and zeros where the others have theirs.
  ir::ValueId ShardAsPart(ir::ValueId value, size_t dimension, const Axes& axes);

  // Sends the shard of each process along `axes` to the process that counts as many shards from the
  // last one as it does from the first.
  ir::ValueId Mirror(ir::ValueId value, const Axes& axes);

  // Sends each shard to a process that needs it, if the layouts have equally many shards of each
  // dimension; nullopt otherwise.
  absl::optional<ir::ValueId> Permute(ir::ValueId value, const Layout& from, const Layout& to);

  // Returns `value`, whose layout is `from`, in the layout `to`. Both must divide the dimensions
  // of the whole value. What is not in parts becomes parts without communication, as AsParts and
  // ShardAsPart make them.
  ir::ValueId Reshard(ir::ValueId value, const Layout& from, const Layout& to);

 private:
  // Returns the groups along axes as a matrix, which all collectives that have it share.
  const ir::Literal& GroupsAlong(const Axes& axes, int64_t num_replicas);
  // The groups and the channel of collectives along axes.
  ir::GroupAttributes Groups(const Axes& axes);
  // Returns which partition sends its shard to which, as source_target_pairs, so that each gets the
  // one that it has in the layout `to`; nullopt as Permute.
  absl::optional<ir::Literal> PairsBetween(const Layout& from, const Layout& to) const;
  // Returns a region that combines two scalars of the type of `value`.
  ir::Region Combiner(ir::ValueId value, ir::OpKind combiner);
  ir::ValueId One(absl::StatusOr<std::vector<ir::ValueId>> results, ir::ValueId instead);

  ir::FunctionBuilder& builder_;
  const CanonicalMesh& mesh_;
  const ir::ProcessGrid grid_;
  std::vector<ir::ValueId> coordinates_;                    // of the process, by axis: scalars i32
  std::map<std::pair<Axes, int64_t>, ir::Literal> groups_;  // by GroupsAlong's arguments
  // By the dimensions of the layouts: what PairsBetween has returned.
  std::map<std::pair<std::vector<Axes>, std::vector<Axes>>, absl::optional<ir::Literal>> pairs_;
  absl::Status status_;
};

}  // namespace acceld::compiler::spmd
