#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/dtype.h"
#include "kernels/ir/build/digit_sort.h"

// Kernel IR: a target-independent form of one kernel. A kernel is a tree of loops and branches over
// scalar SSA values, with loads and stores at computed element indices. kernels/cpu translates
// kernel IR to LLVM IR, kernels/cuda translates it to CUDA C++, and kernels/ir/interpreter runs it
// directly. All types here are plain values and thread-compatible.
namespace acceld::kernels {

using ir::DType;

// The scalar operations, which scalar_ops.def specifies.
enum class ScalarOp : uint8_t {
#define ACCELD_SCALAR_OP(Kind, text, arity) k##Kind,
#include "kernels/ir/scalar_ops.def"
};
// The text form and the number of operands, both from scalar_ops.def.
absl::string_view NameOf(ScalarOp op);
int ArityOf(ScalarOp op);

// The number of a scalar SSA value; numbers are unique in the kernel.
using Var = uint32_t;

// A memory parameter of the kernel. A complex tensor is a buffer of its real element type (f32 or
// f64), in which the real and the imaginary part of each tensor element are adjacent.
struct BufferParameter {
  std::string name;
  DType dtype = DType::kF32;
  int64_t num_elements = 0;  // of `dtype`
  enum class Access : uint8_t { kRead, kWrite, kReadWrite } access = Access::kRead;
};

struct Statement;
// Statements that are executed in order. Values that they define are visible in the block, after
// the definition, and in blocks inside it.
using Block = std::vector<Statement>;

// result = the constant.
struct ConstantStatement {
  Var result;
  uint64_t bits;  // the encoded value, in the low bits
};

// result = op(operands).
struct ScalarStatement {
  Var result;
  ScalarOp op;
  std::vector<Var> operands;
  // Only for kMultiply of floats. If the only use of the product is an addition or subtraction, the
  // target may compute both with a single rounding (floating-point contraction).
  bool may_contract = false;
};

// result = buffer[index]. `buffer` is numbered as for Kernel::Buffer. The index must be in bounds:
// lowerings clamp it or guard the load by a branch.
struct LoadStatement {
  Var result;
  uint32_t buffer;
  Var index;  // i64
};

// buffer[index] = value; `buffer` and `index` as in LoadStatement.
struct StoreStatement {
  uint32_t buffer;
  Var index;  // i64
  Var value;
};

// A scalar that a loop carries from iteration to iteration.
struct CarriedValue {
  Var initial;  // defined outside the loop; the value in the first iteration
  Var current;  // the value in the current iteration, defined for the body
  Var next;     // the value for the next iteration, computed by the body
  Var result;   // the value after the last iteration; `initial` if there was no iteration
};

// for (induction = 0; induction < extent; ++induction) body
struct ForStatement {
  enum class Kind : uint8_t {
    // The iterations are independent and may run in any order, on many threads.
    kParallel,
    // The iterations run in order.
    kSequential,
    // The iterations combine carried values, or elements of scratch, by an associative, commutative
    // operation. A target may split the loop over several accumulators, but in a way that does not
    // depend on the number of threads, so that results do not either.
    kReduction,
    // Each iteration combines carried values, or elements of scratch, with an element by an
    // associative operation, and stores the outcome. No iteration loads from a buffer an element
    // that another iteration stores. A target may regroup the combinations, but in a way that does
    // not depend on the number of threads.
    kScan,
  };
  Kind kind = Kind::kSequential;
  Var induction;  // i64
  int64_t extent = 0;
  std::vector<CarriedValue> carried;  // empty for kParallel
  Block body;
};

// while (condition) body. The number of iterations depends on data and may be infinite, so
// generated code must also leave the loop, with arbitrary values, when the execution is cancelled.
struct WhileStatement {
  std::vector<CarriedValue> carried;  // `current` is also visible in the condition
  Block condition_body;
  Var condition;  // i1, computed by condition_body
  Block body;
};

// if (condition) then_body else else_body
struct IfStatement {
  Var condition;  // i1
  // The condition is seldom true: code for `then_body` should be small rather than fast.
  bool is_rare = false;
  Block then_body;
  Block else_body;
  // results[k], which later statements may use, is then_values[k] or else_values[k].
  std::vector<Var> results, then_values, else_values;
};

struct Statement {
  std::variant<ConstantStatement, ScalarStatement, LoadStatement, StoreStatement, ForStatement,
               WhileStatement, IfStatement>
      value;
};

// A kernel: a function that reads and writes the buffers that a launch passes to it.
struct Kernel {
  std::string name;  // a C identifier, unique in its plan
  std::vector<BufferParameter> buffers;
  // Temporary arrays, numbered after `buffers`. Each iteration of the outermost parallel loop nest
  // has its own copy, uninitialized when the iteration begins.
  std::vector<BufferParameter> scratch;
  std::vector<DType> var_types;  // indexed by Var
  Block body;
  // If set, describes what `body` computes, for targets that have specialized code for it.
  absl::optional<DigitSort> digit_sort;

  DType TypeOf(Var var) const { return var_types[var]; }
  // The buffer or scratch array with this number.
  const BufferParameter& Buffer(uint32_t index) const {
    return index < buffers.size() ? buffers[index] : scratch[index - buffers.size()];
  }
};

// Readable text, for --dump-dir and tests.
std::string ToString(const Kernel& kernel);

}  // namespace acceld::kernels
