#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/ir/types/type.h"
#include "kernels/ir/attention_shape.h"
#include "kernels/ir/collective.h"
#include "kernels/ir/convolution_shape.h"
#include "kernels/ir/host_call.h"
#include "kernels/ir/kernel.h"
#include "kernels/ir/routine.h"

// A plan: all that one executable does to compute its results from its arguments, as a tree of
// steps that read and write buffers at assigned offsets. Plans are target-independent: kernels/cpu
// compiles a plan to one native function, kernels/cuda translates it to a CudaProgram
// (kernels/cuda/program/program.h). All types here are plain values and thread-compatible.
namespace acceld::kernels {

// The alignment of all buffers of a plan, in bytes.
inline constexpr int64_t kBufferAlignment = 64;

// A range of bytes in one of the memory spaces of a plan function. The offset is a multiple of
// kBufferAlignment.
struct Slice {
  enum class Space : uint8_t {
    kArgument,  // argument number `index`; read-only
    kResult,    // result number `index`
    kArena,     // temporaries, one block per execution; `index` is 0
    kConstant,  // the plan's constant block; `index` is 0; read-only
  };
  Space space = Space::kArena;
  uint32_t index = 0;
  int64_t offset_bytes = 0;
  int64_t size_bytes = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};

struct Step;
using Steps = std::vector<Step>;

// Runs plan.kernels[kernel] on `buffers`, in the order of the kernel's buffer parameters.
struct LaunchStep {
  uint32_t kernel;
  std::vector<Slice> buffers;
};

// What a library computes from each sum of a matrix product before it rounds and stores the
// element: activation(alpha * sum + beta * addend + bias). Only products of real floats have an
// epilogue; for other types IsNone() holds.
struct MatmulEpilogue {
  enum class Activation : uint8_t {
    kNone,
    kRelu,  // max(x, 0); the result for NaN depends on the library
    kGelu,  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
  };
  double alpha = 1, beta = 0;
  Activation activation = Activation::kNone;
  bool has_bias = false;
  Slice bias;    // if has_bias: n elements of the output type, one for each output column
  Slice addend;  // if beta is not 0: shape and type of `out`; equal to that slice or disjoint

  bool has_addend() const { return beta != 0; }
  // Whether each sum is stored as it is.
  bool IsNone() const {
    return alpha == 1 && !has_addend() && !has_bias && activation == Activation::kNone;
  }
};

// out[g, b, m, n] = sum over k of lhs[g, b, m, k] * rhs[g, b, k, n], computed by the target's
// library. There is more than one group g only if the batch of an operand cannot be read as one
// dimension, such as the heads of several sequences. Strides are in elements. Of the two inner
// strides of lhs one is 1, and the same holds for rhs; out is row-major. Products of f32 have full
// precision unless TF32 is allowed.
struct MatmulStep {
  ir::DType input_dtype, output_dtype;
  int64_t batch, m, n, k;
  int64_t lhs_strides[3];  // b, m, k
  int64_t rhs_strides[3];  // b, k, n
  int64_t groups = 1;
  int64_t lhs_group_stride = 0, rhs_group_stride = 0;
  Slice lhs, rhs, out;
  bool allow_tf32 = false;  // operands of f32 may be rounded to TF32 first
  MatmulEpilogue epilogue;
  // The library's own encoding of the algorithm to use, valid for one version of the library on one
  // kind of device. If empty, the library chooses.
  std::string algorithm;
};

// A convolution computed by the target's library. `scratch` is working memory in the arena, of the
// size that the target asks for (possibly 0 bytes), disjoint from the operands and the output; its
// contents do not matter before or after the step.
struct ConvolutionStep {
  ir::DType input_dtype, output_dtype;
  ConvolutionShape shape;
  Slice lhs, rhs, out, scratch;
  std::string algorithm;  // as MatmulStep::algorithm
};

// Scaled dot-product attention, computed by a dedicated kernel of the target. `shape` gives the
// element types and strides of the operands. The step writes every element of the output.
struct AttentionStep {
  AttentionShape shape;
  Slice query, key, value, out;
  Slice bias;                // if shape.bias
  std::vector<Slice> masks;  // one for each of shape.masks
};

// Runs a routine of routines.def on whole buffers, with the target's library. CheckRoutine accepts
// `call`. Results share no bytes with operands or with each other. The target itself allocates any
// working memory that the library needs.
struct RoutineStep {
  RoutineCall call;
  std::vector<Slice> operands, results;  // in the order of `call`
};

// Sends the operands to the client that requested the execution, and waits for its callback's
// results. The device may run other executions meanwhile. Results share no bytes with operands or
// with each other.
struct HostCallStep {
  HostCall call;
  std::vector<Slice> operands, results;  // in the order of `call`
};

// Exchanges values with the other participants of the launch, all of which run the same plan. Each
// comes to the same collectives in the same order, as often as the others of its groups do. Results
// share no bytes with operands or with each other. CheckCollective accepts `collective`.
struct CollectiveStep {
  Collective collective;
  std::vector<Slice> operands, results;  // in the order of `collective`
};

// Copies the bytes of `from` to `to`.
struct CopyStep {
  Slice from, to;  // of equal sizes; the same bytes or disjoint
};

// Runs `condition`, then reads the i1 at `predicate`; if it is 1, runs `body` and repeats.
// Loop-carried values live in fixed slices that `body` updates.
struct WhileStep {
  Steps condition;
  Slice predicate;
  Steps body;
};

// Runs branches[i], where i is the i32 at `index`; an index out of range selects the last branch.
// With `index_is_predicate` the index is an i1 instead: 1 selects branches[0], 0 selects
// branches[1].
struct SwitchStep {
  Slice index;
  bool index_is_predicate = false;
  std::vector<Steps> branches;
};

// Runs plan.functions[function]. Slices of the caller serve as the callee's arguments, results and
// arena.
struct CallStep {
  uint32_t function;
  std::vector<Slice> arguments, results;
  Slice arena;
};

// One step of a plan function.
struct Step {
  std::variant<LaunchStep, MatmulStep, RoutineStep, CopyStep, WhileStep, SwitchStep, CallStep,
               ConvolutionStep, AttentionStep, HostCallStep, CollectiveStep>
      value;
  std::string comment;  // the StableHLO op that the step comes from, for dumps and messages
};

// A function of a plan: its steps run in order. Functions do not call themselves.
struct PlanFunction {
  std::string name;
  std::vector<ir::TensorType> arguments, results;
  int64_t arena_bytes = 0;  // for the function's own temporaries and those of its callees
  Steps steps;
};

// An argument and a result of the entry function that may be given the same memory. If they are,
// the plan reads no byte of the argument after it has overwritten that byte with another value.
struct InputOutputAlias {
  uint32_t argument = 0, result = 0;
  friend bool operator==(const InputOutputAlias&, const InputOutputAlias&) = default;
};

struct Plan {
  std::vector<Kernel> kernels;
  std::vector<PlanFunction> functions;  // [0] is the entry
  std::string constants;                // the bytes of Slice::Space::kConstant
  // Argument-result pairs for which the caller of a run may pass the same memory, preferred pairs
  // first. No argument and no result may be in two of the pairs that the caller uses. The plan
  // never writes an argument whose memory is not shared.
  std::vector<InputOutputAlias> may_share;

  const PlanFunction& entry() const { return functions[0]; }
};

// Readable text, for --dump-dir and tests.
std::string ToString(const Plan& plan);
// For example "arena0[64:128]": the space, its index, and the first and the end byte offset.
std::string ToString(const Slice& slice);
// For example " alpha=0.5 + 2 * arena0[0:64] + bias arena0[64:80] relu". Fields that have their
// default values are left out.
std::string ToString(const MatmulEpilogue& epilogue);
// For example "bf16 -> f32 batch [2, 4] queries=64 keys=64 depth=32 features=32 scale=0.125 ...".
std::string ToString(const AttentionShape& shape);

}  // namespace acceld::kernels
