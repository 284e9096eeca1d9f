#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "common/ir/builder.h"

namespace acceld::compiler {

// Numbers for generators; the same on every platform for the same seed.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  template <typename List>
  const auto& Pick(const List& list) {
    return list[Below(static_cast<int64_t>(std::size(list)))];
  }

 private:
  std::mt19937_64 engine_;
};

// Small values, with the odd extreme one; floats are multiples of 1/4.
ir::Literal RandomLiteral(Dice& dice, const ir::TensorType& type);

// A function that calls may name.
struct Helper {
  std::string name;
  ir::InferContext::RegionSignature signature;
  std::vector<bool> exact_results;  // for exact arguments
};

// Generates one function. Each Try... method adds ops or, when the dice fit nothing, none.
class RandomFunction {
 public:
  RandomFunction(std::string name, bool is_public, Dice& dice, const std::vector<Helper>& helpers)
      : dice_(dice), helpers_(helpers), b_(std::move(name), is_public) {}

  ir::Function Build(int64_t num_steps);
  const std::vector<bool>& result_exactness() const { return result_exactness_; }

 private:
  // Every right implementation computes the bits of an exact value.
  struct Value {
    ir::ValueId id;
    bool exact;
  };
  using Values = std::vector<Value>;

  // Types and values.
  ir::DType AnyDType();
  ir::Dims AnyDims();
  const ir::TensorType& TypeOf(Value v) const { return b_.TypeOf(v.id).tensor(); }
  Value AnyValue(bool exact = false);
  Value ValueOf(const ir::TensorType& type, bool exact = false);
  Value ConstantOf(const ir::TensorType& type);
  // With at least `rank` dimensions, none of them empty.
  Value RankedValue(int64_t rank, bool exact = false);
  void Keep(absl::StatusOr<std::vector<ir::ValueId>> ids, bool exact);
  void Keep(absl::StatusOr<ir::ValueId> id, bool exact);
  // Keeps a float that depends on rounding within [-8, 8].
  void KeepRounded(ir::ValueId id);
  absl::StatusOr<ir::ValueId> Make(ir::OpKind kind, std::vector<Value> operands,
                                   ir::OpAttributes attributes = ir::NoAttributes{},
                                   const ir::TensorType* type = nullptr);

  void Step();
  // random_elementwise.cc
  void TryElementwise();
  void TryTranscendental();
  void TryConvert();
  void TrySelect();
  // random_indexing.cc
  void TryMovement();
  void TryBroadcast();
  void TryReshape();
  void TrySlices();
  void TryPad();
  void TryConcatenate();
  void TryDynamicSlice();
  void TryGather();
  // random_nests.cc
  ir::Region ScalarReducer(const std::vector<ir::DType>& dtypes, bool* exact,
                           bool any_order = false);
  ir::ValueId LookUp(ir::ValueId index, ir::ValueId first_inside);
  ir::ValueId Branch(ir::ValueId x);
  ir::ValueId Loop(ir::ValueId x);
  // Drops values from the scope that a region has defined.
  void ForgetFrom(ir::ValueId first);
  void TryReduce();
  void TryReduceWindow();
  void TryScatter();
  void TrySort();
  void TryDot();
  // random_derived.cc
  void TryMap();
  void TryBatchNorm();
  void TryRandomBits();
  void TryEinsum();
  void TryTorchIndexSelect();
  // random_windows.cc
  void TryConvolution();
  void TrySelectAndScatter();
  // random_structure.cc
  ir::Region Body(const Values& parameters, const Values& like, int64_t num_steps);
  void TryIf();
  void TryWhile();
  void TryCall();

  Dice& dice_;
  const std::vector<Helper>& helpers_;
  ir::FunctionBuilder b_;
  Values scope_;
  std::vector<bool> result_exactness_;
  int depth_ = 0;
  bool any_dtype_ = false;  // all types alike, not mostly the usual ones
};

}  // namespace acceld::compiler
