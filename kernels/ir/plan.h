#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/ir/types/type.h"
#include "kernels/ir/attention_shape.h"
#include "kernels/ir/convolution_shape.h"
#include "kernels/ir/host_call.h"
#include "kernels/ir/kernel.h"
#include "kernels/ir/routine.h"

// A plan: what one executable does from its arguments to its results, as a tree of steps over
// buffers that are already assigned. Target-independent: kernels/cpu makes one native function of
// it, kernels/cuda a graph. Plain values; thread-compatible.
namespace acceld::kernels {

// Where bytes live while a plan runs. Offsets are multiples of kBufferAlignment.
inline constexpr int64_t kBufferAlignment = 64;

struct Slice {
  enum class Space : uint8_t {
    kArgument,  // index: number of the argument; read-only
    kResult,    // index: number of the result
    kArena,     // temporaries; one block per execution, index 0
    kConstant,  // the plan's constant block, index 0; read-only
  };
  Space space = Space::kArena;
  uint32_t index = 0;
  int64_t offset_bytes = 0;
  int64_t size_bytes = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};

struct Step;
using Steps = std::vector<Step>;

// Runs plan.kernels[kernel]; buffers in the order of its parameters.
struct LaunchStep {
  uint32_t kernel;
  std::vector<Slice> buffers;
};

// What a library does with the sums of a product before it rounds and stores them:
// activation(alpha * sum + beta * addend + bias). For real floats; another one is none.
struct MatmulEpilogue {
  enum class Activation : uint8_t {
    kNone,
    kRelu,  // max(x, 0); what becomes of NaN is the library's matter
    kGelu,  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
  };
  double alpha = 1, beta = 0;
  Activation activation = Activation::kNone;
  bool has_bias = false;
  Slice bias;    // if has_bias: n elements of out's type, one for each column
  Slice addend;  // if beta is not 0: of out's shape and type, at out's place or apart from it

  bool has_addend() const { return beta != 0; }
  bool IsNone() const {
    return alpha == 1 && !has_addend() && !has_bias && activation == Activation::kNone;
  }
};

// out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], by the target's library. Strides are in
// elements; one of the two inner strides of lhs and rhs is 1; out is row-major. f32 is computed in
// full precision unless TF32 is allowed.
struct MatmulStep {
  ir::DType input_dtype, output_dtype;
  int64_t batch, m, n, k;
  int64_t lhs_strides[3];  // b, m, k
  int64_t rhs_strides[3];  // b, k, n
  Slice lhs, rhs, out;
  bool allow_tf32 = false;  // operands of f32 may be rounded to TF32 first
  MatmulEpilogue epilogue;
  // How the library is to compute it, in its own words, which hold for one of its versions on one
  // kind of device; empty: it chooses.
  std::string algorithm;
};

// A convolution by the target's library. `scratch` is what it says it wants besides (maybe
// nothing), in the arena and apart from the others; what is in it means nothing before and after.
struct ConvolutionStep {
  ir::DType input_dtype, output_dtype;
  ConvolutionShape shape;
  Slice lhs, rhs, out, scratch;
  std::string algorithm;  // as that of a product
};

// Attention, by a kernel that the target has for it. Operands have dtypes and elements as the shape
// says; the output is written wholly.
struct AttentionStep {
  AttentionShape shape;
  Slice query, key, value, out;
  Slice bias;                // if shape.bias
  std::vector<Slice> masks;  // one for each of shape.masks
};

// Runs a routine of routines.def on whole buffers, by the target's library. `call` is one that
// CheckRoutine accepts; results share no bytes with operands or with each other. What memory the
// library needs besides is the target's matter.
struct RoutineStep {
  RoutineCall call;
  std::vector<Slice> operands, results;  // as in `call`
};

// Asks the host program that the run belongs to, and goes on with what it says. Meanwhile the
// device may serve others. Results share no bytes with operands or with each other.
struct HostCallStep {
  HostCall call;
  std::vector<Slice> operands, results;  // as in `call`
};

struct CopyStep {
  Slice from, to;  // equal sizes, equal or disjoint places
};

// Runs `condition`, reads the i1 at `predicate`, and while it is 1 runs `body` and repeats.
// Loop-carried values live in fixed places that `body` updates.
struct WhileStep {
  Steps condition;
  Slice predicate;
  Steps body;
};

// Runs branches[i] for the i32 at `index`; an index out of range takes the last branch. With
// `index_is_predicate` the index is an i1: 1 takes branch 0, 0 branch 1.
struct SwitchStep {
  Slice index;
  bool index_is_predicate = false;
  std::vector<Steps> branches;
};

// Runs a function of the plan; its argument and result spaces are the given slices, its arena is
// this slice of the caller's.
struct CallStep {
  uint32_t function;
  std::vector<Slice> arguments, results;
  Slice arena;
};

struct Step {
  std::variant<LaunchStep, MatmulStep, RoutineStep, CopyStep, WhileStep, SwitchStep, CallStep,
               ConvolutionStep, AttentionStep, HostCallStep>
      value;
  std::string comment;  // which op this is, for dumps and messages
};

struct PlanFunction {
  std::string name;
  std::vector<ir::TensorType> arguments, results;
  int64_t arena_bytes = 0;  // its own temporaries and those of its callees
  Steps steps;
};

// A result of the entry that may be written over an argument: when both are given the same memory,
// the plan reads nothing of the argument after it has written other bytes there.
struct SharedPlace {
  uint32_t argument = 0, result = 0;
  friend bool operator==(const SharedPlace&, const SharedPlace&) = default;
};

struct Plan {
  std::vector<Kernel> kernels;
  std::vector<PlanFunction> functions;  // [0] is the entry
  std::string constants;                // the constant block
  // Whoever runs the plan may let any of these share memory, as long as no argument and no result
  // is in two of them; arguments that share none are never written. The better choices come first.
  std::vector<SharedPlace> may_share;

  const PlanFunction& entry() const { return functions[0]; }
};

// Readable text, for --dump-dir and tests.
std::string ToString(const Plan& plan);
std::string ToString(const Slice& slice);
// " alpha=0.5 + 2 * arena[0:64] + bias arena[64:16] relu": what is not as in MatmulEpilogue{}.
std::string ToString(const MatmulEpilogue& epilogue);
// "bf16 -> f32 batch [2, 4] queries=64 keys=64 depth=32 features=32 scale=0.125 ...".
std::string ToString(const AttentionShape& shape);

}  // namespace acceld::kernels
