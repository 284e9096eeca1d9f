#include "server/compiler/plan/steps/linear_algebra_calls.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

namespace acceld::compiler {
namespace {

using kernels::Routine;
using kernels::RoutineCall;

// Reads the attributes of one call. The first error is kept in status(); values that are returned
// after an error are meaningless.
class Attributes {
 public:
  explicit Attributes(const ir::CustomCallAttributes& call) {
    for (const ir::Attribute* config : {&call.mhlo_backend_config, &call.backend_config}) {
      const auto* dictionary = std::get_if<ir::DictionaryAttribute>(&config->value);
      if (dictionary != nullptr && entries_ == nullptr) entries_ = &dictionary->entries;
    }
  }

  bool Has(const std::string& name) const {
    return entries_ != nullptr && entries_->find(name) != entries_->end();
  }

  int64_t Integer(const std::string& name) {
    const ir::IntegerAttribute* value = nullptr;
    if (Has(name)) value = std::get_if<ir::IntegerAttribute>(&entries_->at(name).value);
    if (value != nullptr) return value->value;
    Fail(absl::StrCat("attribute '", name, "' must be an integer"));
    return 0;
  }

  // Reads an attribute that is a letter, as LAPACK names options, and returns its position in
  // `letters`.
  int64_t Letter(const std::string& name, absl::string_view letters) {
    const int64_t value = Integer(name);
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == value) return static_cast<int64_t>(i);
    }
    Fail(absl::StrCat("attribute '", name, "' is ", value, " where one of the letters ", letters,
                      " is possible"));
    return 0;
  }

  int64_t Boolean(const std::string& name) { return Integer(name) != 0 ? 1 : 0; }

  // Reads LAPACK's `uplo`, or the flag `lower` of calls for GPUs. Returns 1 for lower, 0 for upper.
  int64_t Lower() { return Has("lower") ? Boolean("lower") : Letter("uplo", "UL"); }

  void Fail(std::string what) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(std::move(what));
  }
  const absl::Status& status() const { return status_; }

 private:
  const ir::AttributeDictionary* entries_ = nullptr;
  absl::Status status_;
};

void Set(RoutineCall& call, Routine routine, std::vector<int64_t> parameters) {
  call.routine = routine;
  call.parameters = std::move(parameters);
}

bool IsComplexCall(const RoutineCall& call) { return ir::IsComplex(call.operands[0].dtype); }

// U and V^H are either complete (full) or have as many columns and rows as there are singular
// values (thin). Calls without singular vectors have results for both, too, of one of these shapes.
void Svd(Attributes& in, RoutineCall& call, bool qr_iteration) {
  int64_t mode;  // none, thin, full
  if (in.Has("mode")) {
    mode = in.Letter("mode", "NSA");
  } else {
    mode = in.Boolean("compute_uv") == 0 ? 0 : 1 + in.Boolean("full_matrices");
  }
  bool full = mode == 2;
  if (mode == 0 && call.results.size() == 5) {
    const auto is_square = [](const ir::TensorType& type) {
      const int64_t rank = type.rank();
      return rank >= 2 && type.dims[rank - 1] == type.dims[rank - 2];
    };
    full = is_square(call.results[2]) && is_square(call.results[3]);
  }
  Set(call, full ? Routine::kSvdFull : Routine::kSvdThin,
      {mode == 0 ? 0 : 1, qr_iteration ? 1 : 0});
}

void Hessenberg(Attributes& in, RoutineCall& call) {
  const ir::Dims& dims = call.operands[0].dims;
  const int64_t n = dims.empty() ? 0 : dims.back();
  if (in.Integer("low") != 1 || in.Integer("high") != n) {
    in.Fail(absl::StrCat("low and high must be 1 and ", n, ", all of the matrix"));
  }
  Set(call, Routine::kHessenberg, {});
}

void Schur(Attributes& in, RoutineCall& call) {
  in.Letter("sort", "N");
  Set(call, IsComplexCall(call) ? Routine::kSchurComplex : Routine::kSchurReal,
      {in.Letter("mode", "NV")});
}

void TriangularSolve(Attributes& in, RoutineCall& call) {
  const bool left = in.Letter("side", "RL") != 0;
  Set(call, left ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight,
      {in.Lower(), in.Letter("diag", "NU"), in.Letter("trans_x", "NTC")});
}

// The table has one row per function. Some functions have another name for complex types.
struct Row {
  absl::string_view name, complex_name;
  void (*match)(Attributes& in, RoutineCall& call);
};

constexpr Row kRows[] = {
    {"gees", "gees", Schur},
    {"geev", "geev",
     [](Attributes& in, RoutineCall& call) {
       Set(call, IsComplexCall(call) ? Routine::kEigenComplex : Routine::kEigenReal,
           {in.Letter("compute_left", "NV"), in.Letter("compute_right", "NV")});
     }},
    {"gehrd", "gehrd", Hessenberg},
    {"geqp3", "geqp3", [](Attributes&, RoutineCall& call) { Set(call, Routine::kQrPivoted, {}); }},
    {"geqrf", "geqrf", [](Attributes&, RoutineCall& call) { Set(call, Routine::kQr, {}); }},
    {"gesdd", "gesdd", [](Attributes& in, RoutineCall& call) { Svd(in, call, false); }},
    {"gesvd", "gesvd", [](Attributes& in, RoutineCall& call) { Svd(in, call, true); }},
    {"getrf", "getrf", [](Attributes&, RoutineCall& call) { Set(call, Routine::kLu, {}); }},
    {"gtsv", "gtsv",
     [](Attributes&, RoutineCall& call) { Set(call, Routine::kTridiagonalSolve, {}); }},
    {"orgqr", "ungqr",
     [](Attributes&, RoutineCall& call) { Set(call, Routine::kHouseholderProduct, {}); }},
    {"ormqr", "unmqr",
     [](Attributes& in, RoutineCall& call) {
       Set(call,
           in.Boolean("left") != 0 ? Routine::kHouseholderMultiplyLeft
                                   : Routine::kHouseholderMultiplyRight,
           {in.Boolean("transpose")});
     }},
    {"potrf", "potrf",
     [](Attributes& in, RoutineCall& call) { Set(call, Routine::kCholeskyFactor, {in.Lower()}); }},
    {"syevd", "heevd",
     [](Attributes& in, RoutineCall& call) {
       Set(call, Routine::kHermitianEigen,
           {in.Lower(), in.Has("mode") ? in.Letter("mode", "NV") : 1});
     }},
    {"sytrd", "hetrd",
     [](Attributes& in, RoutineCall& call) { Set(call, Routine::kTridiagonal, {in.Lower()}); }},
    {"trsm", "trsm", TriangularSolve},
};

// Returns the type of a letter in LAPACK's names, for instance 's' in lapack_sgetrf_ffi.
absl::optional<ir::DType> TypeOfLetter(char letter) {
  switch (letter) {
    case 's':
      return ir::DType::kF32;
    case 'd':
      return ir::DType::kF64;
    case 'c':
      return ir::DType::kC64;
    case 'z':
      return ir::DType::kC128;
    default:
      return absl::nullopt;
  }
}

}  // namespace

absl::StatusOr<bool> MatchLinearAlgebraCall(const ir::CustomCallAttributes& attributes,
                                            RoutineCall& call) {
  absl::string_view name = attributes.call_target_name;
  // A function of JAX itself, which is not in LAPACK.
  if (name == "tridiagonal_solve_perturbed_ffi") {
    Set(call, Routine::kTridiagonalSolvePerturbed, {});
    return true;
  }
  if (!absl::ConsumeSuffix(&name, "_ffi")) return false;
  absl::optional<ir::DType> named_type;
  if (absl::ConsumePrefix(&name, "lapack_")) {
    if (name.empty()) return false;
    named_type = TypeOfLetter(name.front());
    if (!named_type.has_value()) return false;
    name.remove_prefix(1);
  } else if (!absl::ConsumePrefix(&name, "cusolver_") &&
             !absl::ConsumePrefix(&name, "hipsolver_")) {
    return false;
  }
  // Calls for GPUs have the names of the real functions also for complex types.
  const bool complex_name = named_type.has_value() && ir::IsComplex(*named_type);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return name == (complex_name ? r.complex_name : r.name);
  });
  if (row == std::end(kRows)) return false;
  if (call.operands.empty()) return absl::InvalidArgumentError("it has no operands");
  if (named_type.has_value() && call.operands[0].dtype != *named_type) {
    return absl::InvalidArgumentError(
        absl::StrCat("the first operand is ", call.operands[0].ToString()));
  }
  Attributes in(attributes);
  row->match(in, call);
  ACCELD_RETURN_IF_ERROR(in.status());
  return true;
}

}  // namespace acceld::compiler
