#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ir/builder.h"
#include "tests/unit/compiler/random/random_function.h"
#include "tests/unit/compiler/spmd/random/random_sharding.h"

namespace acceld::compiler::spmd {

// Where a function may be called: only outside of manual computations, also inside of those, or
// only inside of those all of whose axes are manual.
enum class Place : uint8_t { kGlobal, kAnywhere, kManual };

// A function that calls may name.
struct ShardedHelper {
  std::string name;
  ir::InferContext::RegionSignature signature;
  std::vector<bool> exact_results;
  Place place = Place::kGlobal;
};

// What all functions of a program share.
struct ProgramContext {
  Dice& dice;
  bool has_replicas = false;  // then it has no manual computations
  std::vector<ir::Mesh> meshes;
  std::vector<ShardedHelper> helpers;
};

// Returns integers from -4 to 4, or from 0 to 4; sometimes a splat.
ir::Literal SmallLiteral(Dice& dice, const ir::TensorType& type);

// Generates one function of a program for several partitions, on small shapes whose dimensions
// often have the sizes of axes as divisors. Each Try... method adds ops or, when the dice fit
// nothing, none.
//
// Floats are mostly small integers, so that sums are exact in any order. Where they are not, they
// are kept within [-8, 8] and never decide anything (comparisons, indices, orders).
class ShardedFunction {
 public:
  // The largest number in constants and arguments.
  static constexpr int64_t kSmall = 4;

  ShardedFunction(std::string name, Place place, ProgramContext& context);

  // `num_parameters` are added at first; the entry gets more where its ops need them.
  ir::Function Build(int64_t num_parameters, int64_t num_steps);
  // By result: whether each right implementation computes the same bits.
  const std::vector<bool>& exact_results() const { return exact_results_; }

 private:
  // How deep control flow and manual computations nest at most.
  static constexpr int kMaxDepth = 3;

  struct Value {
    ir::ValueId id = 0;
    int64_t bound = 0;   // above 0: its elements are integers of at most this size
    bool exact = true;   // its bits do not depend on the order of sums
    AxisSet varies = 0;  // inside manual computations: axes along which processes have others
  };
  using Values = std::vector<Value>;

  // sharded_function.cc: types and values.
  ir::DType AnyDType();
  ir::Dims AnyDims(int64_t min_rank = 0, int64_t max_rank = 4);
  const ir::TensorType& TypeOf(const Value& v) const { return b_.TypeOf(v.id).tensor(); }
  Value AnyValue(int64_t min_rank = 0);
  // An exact value of one of the classes of dtypes.
  Value NumberValue(int64_t min_rank, bool integer, bool real, bool complex = false);
  Value ValueOf(const ir::TensorType& type, bool exact = true);
  Value Fresh(const ir::TensorType& type);
  ir::Sharding SignatureSharding(const ir::TensorType& type);
  // Sometimes lets a value of this type with the sharding be in parts.
  ir::Sharding WithParts(ir::Sharding sharding, const ir::TensorType& type);
  Value Scalar(ir::DType dtype, int64_t value);
  // A float whose elements are small integers, the value itself if it has been one.
  Value Small(const Value& v, int64_t limit = 8);
  Value Clamped(const Value& v, int64_t limit);
  // Adds a value to the scope, sometimes behind a constraint. `v.varies` must be set.
  void Keep(Value v);
  void Keep(absl::StatusOr<ir::ValueId> id, int64_t bound, bool exact, const Values& from);
  absl::StatusOr<ir::ValueId> Make(ir::OpKind kind, const Values& operands,
                                   ir::OpAttributes attributes = ir::NoAttributes{},
                                   const ir::TensorType* type = nullptr);
  void Step();

  // elementwise.cc
  void TryUnary();
  void TryBinary();
  void TryTranscendental();
  void TryCompare();
  void TrySelect();
  void TryConvert();
  // indexing.cc
  void TryBroadcast();
  void TryTranspose();
  void TryReshape();
  void TryReverse();
  void TrySlice();
  void TryPad();
  void TryConcatenate();
  void TryDynamicSlice();
  void TryIota();
  void TryGather();
  void TryScatter();
  void KeepScatter(const Value& x, const Value& at, const Value& updates,
                   ir::ScatterAttributes attributes);
  // nests.cc
  ir::ValueId AddCaptured(ir::ValueId element);
  ir::Region Combiner(ir::OpKind kind, ir::DType dtype, bool may_capture = false);
  ir::OpKind AnyCombiner(ir::DType dtype);
  ir::Region ArgMax(ir::DType key, ir::DType companion);
  // The bound of the combination of `count` elements; 0: unknown.
  static int64_t BoundOf(ir::OpKind combiner, int64_t bound, int64_t initial, int64_t count);
  // Whether a combination whose bound is `bound` has the same bits in any order.
  static bool IsExact(ir::OpKind combiner, ir::DType dtype, int64_t bound);
  // Integers up to this size, and sums of them on the way to one, are exact in the type.
  static int64_t ExactLimit(ir::DType dtype);
  void TryReduce();
  void TryReduceTwo();
  void TryReduceWindow();
  void TrySelectAndScatter();
  void TrySort();
  // contractions.cc
  void TryDot();
  void TryConvolution();
  void KeepConvolution(const Value& x, const Value& kernel, const ir::ConvolutionAttributes& conv);
  void TryCholesky();
  void TryTriangularSolve();
  void TryFft();
  // structure.cc
  ir::Region Body(const Values& parameters, const Values& like, int64_t num_steps);
  // Returns a value that may be carried from one iteration to the next: a float is small, and an
  // integer has no bound.
  Value Carried(const Value& v, bool is_small);
  ir::ValueId Condition(const Values& carried);
  void TryBranches();
  void TryWhile();
  void TryCall();
  void TryConstraint();
  void TryGroup();
  void TryHostCall();
  void TryBarrier();
  // manual.cc
  AxisSet FreeAxes() const;
  ir::Sharding ManualSharding(const ir::Dims& dims, AxisSet manual);
  Value ManualResult(const Value& v, AxisSet axes, ir::Sharding& sharding, ir::TensorType& whole);
  Value MadeEqual(const Value& v, AxisSet axes);
  Values BeginManual(AxisSet axes, std::vector<ir::ValueId>& ids,
                     ir::ManualComputationAttributes& attributes);
  void TryManual();
  // collectives.cc
  std::vector<std::vector<int64_t>> GroupsAlong(AxisSet axes) const;
  ir::Literal GroupMatrix(AxisSet axes);
  void TryCollective();
  void TryAllReduce(AxisSet axes);
  void TryAllGather(AxisSet axes);
  void TryReduceScatter(AxisSet axes);
  void TryAllToAll(AxisSet axes);
  void TryPermute(AxisSet axes);
  void TryAxisIndex(AxisSet axes);

  const ir::Mesh& mesh() const { return context_.meshes[static_cast<size_t>(mesh_)]; }

  ProgramContext& context_;
  Dice& dice_;
  const Place place_;
  const bool is_entry_;
  ir::FunctionBuilder b_;
  Values scope_;
  std::vector<std::optional<ir::Sharding>> parameter_shardings_;
  std::vector<bool> exact_results_;
  int depth_ = 0;
  int64_t mesh_ = 0;              // that of the manual computations around
  AxisSet manual_ = 0;            // the manual axes of those
  bool is_manual_ = false;        // whether there is one
  bool may_exchange_ = true;      // whether all processes come to the next op alike
  std::vector<ir::Dims> groups_;  // the dimensions of the values of each sharding group
};

}  // namespace acceld::compiler::spmd
