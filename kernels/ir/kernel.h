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

// Kernel IR: what a kernel computes, with no target in it. Loop nests over scalar SSA values, loads
// and stores at computed element indices. Two printers read it: kernels/cpu (LLVM IR) and
// kernels/cuda (CUDA C++). Plain values; thread-compatible.
namespace acceld::kernels {

using ir::DType;

enum class ScalarOp : uint8_t {
#define ACCELD_SCALAR_OP(Kind, text, arity) k##Kind,
#include "kernels/ir/scalar_ops.def"
};
absl::string_view NameOf(ScalarOp op);
int ArityOf(ScalarOp op);

// A scalar SSA value, numbered over the whole kernel.
using Var = uint32_t;

// A memory parameter of the kernel. Element type is the real part for complex tensors, whose
// elements are then two neighbours (re, im).
struct BufferParameter {
  std::string name;
  DType dtype = DType::kF32;
  int64_t num_elements = 0;  // of `dtype`
  enum class Access : uint8_t { kRead, kWrite, kReadWrite } access = Access::kRead;
};

struct Statement;
using Block = std::vector<Statement>;

struct ConstantStatement {
  Var result;
  uint64_t bits;  // of the value, in the low bits; floats as their encoding
};

struct ScalarStatement {
  Var result;
  ScalarOp op;
  std::vector<Var> operands;
  // Of a product of floats: the sum or difference that takes it, if it is the only one, may round
  // once for both (floating-point contraction), where the target can.
  bool may_contract = false;
};

// result = buffers[buffer][index]. Out-of-bounds indices are the lowering's bug: it clamps or
// guards.
struct LoadStatement {
  Var result;
  uint32_t buffer;
  Var index;  // i64
};

struct StoreStatement {
  uint32_t buffer;
  Var index;  // i64
  Var value;
};

// A scalar that a loop carries from iteration to iteration.
struct CarriedValue {
  Var initial;  // from outside
  Var current;  // seen by the body
  Var next;     // computed by the body
  Var result;   // after the last iteration (`initial` when there was none)
};

// for (induction = 0; induction < extent; ++induction) body
struct ForStatement {
  enum class Kind : uint8_t {
    kParallel,    // iterations are independent: may run in any order, on many threads
    kSequential,  // in order
    kReduction,   // what is carried, or kept in scratch, is combined by an associative, commutative
                  // operation: may be split into several accumulators, for any threads the same
    kScan,        // each iteration combines what is carried, or kept in scratch, with an element
                  // by an associative operation and stores what comes of it; no iteration loads
                  // what another one stores to a buffer: may be regrouped, for any threads the same
  };
  Kind kind = Kind::kSequential;
  Var induction;  // i64
  int64_t extent = 0;
  std::vector<CarriedValue> carried;  // empty for kParallel
  Block body;
};

// while (condition) body. Its end is the program's affair, so a printer makes it stop, with any
// values, once the execution is cancelled.
struct WhileStatement {
  std::vector<CarriedValue> carried;  // `current` is seen by the condition too
  Block condition_body;
  Var condition;  // i1, computed by condition_body
  Block body;
};

struct IfStatement {
  Var condition;  // i1
  // Seldom true: code for `then_body` should rather be short than fast.
  bool is_rare = false;
  Block then_body;
  Block else_body;
  // Values that leave the If: results[k] is then_values[k] or else_values[k].
  std::vector<Var> results, then_values, else_values;
};

struct Statement {
  std::variant<ConstantStatement, ScalarStatement, LoadStatement, StoreStatement, ForStatement,
               WhileStatement, IfStatement>
      value;
};

struct Kernel {
  std::string name;  // a C identifier, unique in its plan
  std::vector<BufferParameter> buffers;
  // Arrays private to one iteration of the outermost parallel loops, numbered after `buffers`.
  std::vector<BufferParameter> scratch;
  std::vector<DType> var_types;  // by Var
  Block body;
  // If set: what the body does, in other words.
  absl::optional<DigitSort> digit_sort;

  DType TypeOf(Var var) const { return var_types[var]; }
  const BufferParameter& Buffer(uint32_t index) const {
    return index < buffers.size() ? buffers[index] : scratch[index - buffers.size()];
  }
};

// Readable text, for --dump-dir and tests.
std::string ToString(const Kernel& kernel);

// An internal consistency check (types, definition before use, buffer numbers); INTERNAL on
// failure. absl::Status VerifyKernel(const Kernel&) is in verify_kernel.h.

}  // namespace acceld::kernels
