#include "client/pjrt/distribution/without_shardings.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/builder.h"

namespace acceld::pjrt {
namespace {

class Copier {
 public:
  explicit Copier(const ir::Function& source)
      : source_(source), builder_(source.name, source.is_public) {}

  ir::Function Run() {
    for (const ir::ValueId id : source_.body.parameters) {
      values_[id] = builder_.AddParameter(source_.TypeOf(id));
    }
    CopyOps(source_.body);
    ir::Function copy = builder_.Finish(Mapped(source_.body.results));
    copy.donations = source_.donations;
    return copy;
  }

 private:
  std::vector<ir::ValueId> Mapped(const std::vector<ir::ValueId>& ids) const {
    std::vector<ir::ValueId> mapped;
    mapped.reserve(ids.size());
    for (const ir::ValueId id : ids) mapped.push_back(values_.at(id));
    return mapped;
  }

  // Gives each of `ids` the value that `from` is in the copy, if necessary by a call of `target`.
  void Bind(const std::vector<ir::ValueId>& ids, const std::vector<ir::ValueId>& from,
            const char* target) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const ir::Type& type = source_.TypeOf(ids[i]);
      ir::ValueId value = values_.at(from[i]);
      if (source_.TypeOf(from[i]) != type) {
        value = builder_.AddUnchecked(ir::OpKind::kCustomCall, {value},
                                      ir::CustomCallAttributes{.call_target_name = target}, {},
                                      {&type, 1})[0];
      }
      values_[ids[i]] = value;
    }
  }

  // Recurses as deep as regions nest, which the verifier has bounded.
  void CopyOps(const ir::Region& region) {
    for (const ir::Op& op : region.ops) Copy(op);
  }

  void Copy(const ir::Op& op) {
    if (ir::FamilyOf(op.kind) == ir::OpFamily::kSharding) {
      if (op.kind != ir::OpKind::kManualComputation) return Bind(op.results, op.operands, "");
      const ir::Region& body = op.regions[0];
      Bind(body.parameters, op.operands, "SPMDFullToShardShape");
      CopyOps(body);
      return Bind(op.results, body.results, "SPMDShardToFullShape");
    }
    std::vector<ir::Region> regions;
    for (const ir::Region& region : op.regions) {
      const std::vector<ir::ValueId> parameters =
          builder_.BeginRegion(source_.TypesOf(region.parameters));
      for (size_t i = 0; i < parameters.size(); ++i) values_[region.parameters[i]] = parameters[i];
      CopyOps(region);
      regions.push_back(builder_.EndRegion(Mapped(region.results)));
    }
    const std::vector<ir::ValueId> results =
        builder_.AddUnchecked(op.kind, Mapped(op.operands), op.attributes, std::move(regions),
                              source_.TypesOf(op.results), op.location);
    for (size_t i = 0; i < results.size(); ++i) values_[op.results[i]] = results[i];
  }

  const ir::Function& source_;
  ir::FunctionBuilder builder_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId> values_;
};

}  // namespace

ir::Module WithoutShardings(const ir::Module& module) {
  if (module.grid.size() == 1) return module;
  ir::Module without = module.WithoutFunctions();
  without.meshes.clear();
  for (const ir::Function& function : module.functions) {
    without.functions.push_back(Copier(function).Run());
  }
  return without;
}

}  // namespace acceld::pjrt
