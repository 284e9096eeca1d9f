#include "kernels/ir/routine.h"

#include <algorithm>
#include <limits>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/check.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::TensorType;

struct Row {
  absl::string_view name, signature, parameters;
};

constexpr Row kRows[] = {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) {name, signature, parameters},
#include "kernels/ir/routines.def"
};

const Row& RowOf(Routine routine) { return kRows[static_cast<int>(routine)]; }

struct Parameter {
  std::string name;
  int64_t num_values;
};

std::vector<Parameter> ParametersOf(Routine routine) {
  std::vector<Parameter> out;
  for (absl::string_view text : absl::StrSplit(RowOf(routine).parameters, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, ':');
    out.push_back({parts.first, 0});
    ACCELD_CHECK(absl::SimpleAtoi(parts.second, &out.back().num_values));
  }
  return out;
}

// One operand or result of a signature. For T[m,n], element is 'T' and sizes is "mn".
struct Pattern {
  char element;
  std::string sizes;
};

struct Signature {
  std::vector<Pattern> operands, results;
  std::vector<std::pair<char, char>> at_most;  // first <= second
};

Signature SignatureOf(Routine routine) {
  Signature out;
  std::vector<Pattern>* side = &out.operands;
  bool bounds = false;
  for (absl::string_view word : absl::StrSplit(RowOf(routine).signature, ' ', absl::SkipEmpty())) {
    if (word == "->") {
      side = &out.results;
    } else if (word == ";") {
      bounds = true;
    } else if (bounds) {
      out.at_most.push_back({word.front(), word.back()});
    } else {
      Pattern pattern{word.front(), ""};
      for (char c : word.substr(1)) {
        if (c >= 'a' && c <= 'z') pattern.sizes += c;
      }
      side->push_back(std::move(pattern));
    }
  }
  return out;
}

std::string TypeList(const std::vector<TensorType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, const TensorType& type) {
    absl::StrAppend(out, type.ToString());
  });
}

absl::Status Wrong(const RoutineCall& call, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(ToString(call), ": ", what));
}

// Matches the types of a call against the routine's signature. A letter is bound to the first size
// that it meets.
class Matcher {
 public:
  explicit Matcher(const RoutineCall& call)
      : call_(call), signature_(SignatureOf(call.routine)), batch_rank_(BatchRankOf(call)) {}

  absl::Status Match() {
    ACCELD_RETURN_IF_ERROR(MatchAll(signature_.operands, call_.operands, "operand"));
    ACCELD_RETURN_IF_ERROR(MatchAll(signature_.results, call_.results, "result"));
    for (const auto& [less, more] : signature_.at_most) {
      if (sizes_[less] > sizes_[more]) {
        return Wrong(call_, absl::StrCat("size ", sizes_[less], " must be at most ", sizes_[more]));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status MatchAll(const std::vector<Pattern>& patterns, const std::vector<TensorType>& types,
                        absl::string_view what) {
    if (patterns.size() != types.size()) {
      return Wrong(call_,
                   absl::StrCat("it has ", types.size(), " ", what, "s, not ", patterns.size()));
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (!MatchesElement(patterns[i].element, types[i].dtype)) {
        return Wrong(call_, absl::StrCat(what, " ", i, " has elements of the wrong type"));
      }
      ACCELD_RETURN_IF_ERROR(MatchDims(patterns[i].sizes, types[i], absl::StrCat(what, " ", i)));
    }
    return absl::OkStatus();
  }

  bool MatchesElement(char pattern, DType dtype) const {
    const DType own = call_.operands[0].dtype;
    const bool wide = own == DType::kF32 || own == DType::kF64 || ir::IsComplex(own);
    switch (pattern) {
      case 'F':
        return dtype == own && (ir::IsFloat(own) || ir::IsComplex(own));
      case 'T':
        return dtype == own && wide;
      case 'S':
        return dtype == own && wide && !ir::IsComplex(own);
      case 'Z':
        return dtype == own && ir::IsComplex(own);
      case 'R':
        return dtype == ir::RealPartOf(own);
      case 'C':
        return ir::ComplexOf(own) == dtype;
      default:
        return dtype == DType::kI32;
    }
  }

  absl::Status MatchDims(const std::string& letters, const TensorType& type,
                         absl::string_view what) {
    const TensorType& first = call_.operands[0];
    if (batch_rank_ < 0 || type.rank() != batch_rank_ + static_cast<int64_t>(letters.size())) {
      return Wrong(call_, absl::StrCat(what, " has the wrong rank"));
    }
    for (int64_t d = 0; d < batch_rank_; ++d) {
      if (type.dims[d] != first.dims[d]) {
        return Wrong(call_, absl::StrCat(what, " has another size in batch dimension ", d));
      }
    }
    for (size_t i = 0; i < letters.size(); ++i) {
      const int64_t size = type.dims[batch_rank_ + static_cast<int64_t>(i)];
      if (size > std::numeric_limits<int32_t>::max()) {
        return absl::ResourceExhaustedError(
            absl::StrCat(ToString(call_), ": matrices have at most 2^31 - 1 rows and columns"));
      }
      if (SizeOf(letters[i], size) != size) {
        return Wrong(call_, absl::StrCat(what, " has size ", size, " where ",
                                         SizeOf(letters[i], size), " fits"));
      }
    }
    return absl::OkStatus();
  }

  // Returns the size that the letter is bound to; binds an unbound letter to `size` first.
  int64_t SizeOf(char letter, int64_t size) {
    if (letter == 'p') return std::min(sizes_['m'], sizes_['n']);
    if (letter == 'q') return std::max<int64_t>(sizes_['n'] - 1, 0);
    return sizes_.try_emplace(letter, size).first->second;
  }

  const RoutineCall& call_;
  const Signature signature_;
  const int64_t batch_rank_;
  std::map<char, int64_t> sizes_;
};

// Checks the types of Fft. Kind 0 (fft) and 1 (ifft) keep all sizes; kind 2 (rfft) changes the last
// size from n to n / 2 + 1, and kind 3 (irfft) the reverse. For n = 0 rfft gives a last size of 0,
// and irfft accepts 0 or 1.
absl::Status CheckFft(const RoutineCall& call) {
  const int64_t kind = call.parameters[0], rank = call.parameters[1];
  if (call.operands.size() != 1 || call.results.size() != 1) {
    return Wrong(call, "it has one operand and one result");
  }
  const TensorType& from = call.operands[0];
  const TensorType& to = call.results[0];
  const TensorType& real = kind == 2 ? from : to;
  const TensorType& spectrum = kind == 2 ? to : from;
  const bool types_fit = kind < 2 ? ir::IsComplex(from.dtype) && from.dtype == to.dtype
                                  : ir::ComplexOf(real.dtype) == spectrum.dtype;
  if (!types_fit) return Wrong(call, "the element types do not fit");
  if (rank < 1 || from.rank() < rank || to.rank() != from.rank()) {
    return Wrong(call, "the ranks do not fit");
  }
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t n = real.dims[d];
    const bool halved = kind >= 2 && d == from.rank() - 1;
    const bool from_one = kind == 3 && halved && n == 0 && spectrum.dims[d] == 1;
    if (spectrum.dims[d] != (halved && n > 0 ? n / 2 + 1 : n) && !from_one) {
      return Wrong(call, absl::StrCat("sizes do not fit in dimension ", d));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view NameOf(Routine routine) { return RowOf(routine).name; }

absl::optional<Routine> ParseRoutine(absl::string_view name) {
  for (int i = 0; i < kNumRoutines; ++i) {
    const auto routine = static_cast<Routine>(i);
    if (NameOf(routine) == name) return routine;
  }
  return absl::nullopt;
}

int64_t BatchRankOf(const RoutineCall& call) {
  if (call.routine == Routine::kFft) return call.operands[0].rank() - call.parameters[1];
  const Signature signature = SignatureOf(call.routine);
  return call.operands[0].rank() - static_cast<int64_t>(signature.operands[0].sizes.size());
}

absl::Status CheckRoutine(const RoutineCall& call) {
  const std::vector<Parameter> parameters = ParametersOf(call.routine);
  if (call.parameters.size() != parameters.size()) {
    return Wrong(call, absl::StrCat("it takes ", parameters.size(), " parameters"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (call.parameters[i] < 0 || call.parameters[i] >= parameters[i].num_values) {
      return Wrong(call, absl::StrCat("'", parameters[i].name, "' cannot be ", call.parameters[i]));
    }
  }
  if (call.operands.empty()) return Wrong(call, "it has no operands");
  return call.routine == Routine::kFft ? CheckFft(call) : Matcher(call).Match();
}

std::string ToString(const RoutineCall& call) {
  std::string out(NameOf(call.routine));
  const std::vector<Parameter> parameters = ParametersOf(call.routine);
  for (size_t i = 0; i < std::min(parameters.size(), call.parameters.size()); ++i) {
    absl::StrAppend(&out, " ", parameters[i].name, "=", call.parameters[i]);
  }
  absl::StrAppend(&out, "(", TypeList(call.operands), ") -> (", TypeList(call.results), ")");
  return out;
}

}  // namespace acceld::kernels
