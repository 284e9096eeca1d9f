#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "server/compiler/spmd/exchange.h"
#include "server/compiler/spmd/factor_axes.h"
#include "server/compiler/spmd/partition.h"

namespace acceld::compiler::spmd {

// Partitions a module that computes on whole values and has only its entry.
absl::StatusOr<PartitionedProgram> PartitionGlobal(const ir::Module& module);

// Writes the entry of a global program as a function of one process. Each value of the program
// becomes a value of the new function: the shard of it that the process has. Must not outlive its
// arguments. Thread-compatible.
//
// Usage: AddParameter for each parameter in order; then Run; then AddResult for each result.
class Partitioner {
 public:
  // `layouts` has the layout that each value shall have, by ValueId (propagate.h), and `rules` are
  // those of the entry.
  Partitioner(const ir::Module& module, const CanonicalMesh& mesh,
              const std::vector<Layout>& layouts, const FactorRules& rules,
              ir::FunctionBuilder& builder);

  // Adds the shard of a parameter. Returns its sharding on mesh.ToMesh(). INVALID_ARGUMENT if the
  // sharding that the program gives the parameter does not divide it into equal shards.
  absl::StatusOr<ir::Sharding> AddParameter(size_t number);
  // Writes the ops. `replica` and `partition` are the numbers of the process, scalars ui32.
  absl::Status Run(Exchange& exchange, ir::ValueId replica, ir::ValueId partition);
  // Appends the shard of a result to `results`. Returns its sharding; errors as AddParameter.
  absl::StatusOr<ir::Sharding> AddResult(size_t number, std::vector<ir::ValueId>& results);

 private:
  // The shard of a value that the process has.
  struct Placed {
    ir::ValueId id = 0;
    Layout layout;
    // The shards in other layouts that have been needed so far, as far as they can be used.
    std::vector<std::pair<Layout, ir::ValueId>> others;
  };

  // Forgets, at the end of a region, the shards in other layouts that were made inside.
  class RegionScope {
   public:
    explicit RegionScope(Partitioner& partitioner)
        : partitioner_(partitioner), num_before_(partitioner.resharded_.size()) {}
    ~RegionScope();
    RegionScope(const RegionScope&) = delete;
    RegionScope& operator=(const RegionScope&) = delete;

   private:
    Partitioner& partitioner_;
    const size_t num_before_;
  };

  // Returns the layout that the function's signature gives a value.
  absl::StatusOr<Layout> SignatureLayout(absl::string_view what, size_t number, ir::ValueId id,
                                         const std::vector<std::optional<ir::Sharding>>& shardings);
  // The axes along which the compiler must not divide the value.
  Axes ReservedAxes(const ir::Sharding& sharding) const;
  const Layout& LayoutOf(ir::ValueId id) const { return layouts_[id]; }
  ir::TensorType LocalType(ir::ValueId id, const Layout& layout) const {
    return ShardType(source_.TensorOf(id), layout, mesh_);
  }
  // Returns the shard of a value in a layout.
  ir::ValueId Shard(ir::ValueId id, const Layout& layout);
  ir::ValueId Whole(ir::ValueId id);
  // Defines a value, which is computed in the layout `from`, in its own layout.
  void Place(ir::ValueId id, ir::ValueId local, const Layout& from);

  absl::Status WriteRegion(const ir::Region& region);
  absl::Status WriteOp(const ir::Op& op);
  void WriteConstant(const ir::Op& op);
  void WriteIota(const ir::Op& op);
  absl::Status WriteWhile(const ir::Op& op);
  absl::Status WriteBranches(const ir::Op& op);
  absl::Status WriteManualComputation(const ir::Op& op);
  // Copies the region of a manual computation along all axes, which computes on the values of one
  // process.
  absl::Status CopyManualComputation(const ir::Op& op);
  // Returns the rule of an op. One that exchanges values along axes that are not manual is not
  // divided.
  FactorRule RuleOf(const ir::Op& op) const;
  // Writes an op that every process computes on whole values.
  absl::Status WriteReplicated(const ir::Op& op);
  // Writes a call of the client, which the first process makes for all, or each with its shards.
  absl::Status WriteHostCall(const ir::Op& op);
  absl::Status WriteByRule(const ir::Op& op);
  // Returns the operands of an op that it takes in parts, and the axes of the parts, since its
  // result is wanted in parts. Without axes there are no such operands.
  struct PassedParts {
    std::vector<size_t> operands;
    Axes axes;
  };
  PassedParts PartsToPass(const ir::Op& op) const;
  // Writes an op for operands in these layouts. `reduced` are the axes of its reduction factors.
  // Returns its results, which have these types and are parts along `reduced`.
  std::vector<ir::ValueId> WriteLocal(const ir::Op& op, const FactorRule& rule,
                                      const std::vector<Layout>& layouts, const Axes& reduced,
                                      const std::vector<ir::TensorType>& types);
  // Returns copies of the regions of a reduction or the like, which may use values from around as
  // they are in the whole program.
  std::vector<ir::Region> CloneRegions(const ir::Op& op);

  const ir::Module& module_;
  const ir::Function& source_;
  const CanonicalMesh& mesh_;
  const std::vector<Layout>& layouts_;
  const FactorRules& rules_;
  ir::FunctionBuilder& builder_;
  Exchange* exchange_ = nullptr;
  ir::ValueId replica_ = 0, partition_ = 0;
  // The manual computations around the op that is written: how many, and their axes.
  int manual_depth_ = 0;
  Axes manual_;
  absl::flat_hash_map<ir::ValueId, Placed> placed_;
  // The values that have got another shard, in order.
  std::vector<ir::ValueId> resharded_;
};

}  // namespace acceld::compiler::spmd
