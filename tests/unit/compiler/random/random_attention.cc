#include "tests/unit/compiler/random/random_attention.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/types/element.h"

namespace acceld::compiler {
namespace {

// A value whose dimensions have names: b of the batch, h of heads of keys, g of the heads of
// queries for one of these, n of both, q of queries, k of keys, d of the depth and f of features.
struct Value {
  std::string name, axes, dtype;
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  RandomAttention Make() {
    ChooseSizes();
    const Value scores = MakeScores();
    const Value probabilities = Softmax(scores);
    const std::string heads = is_grouped_ ? "h" : "n";
    const Value value =
        is_repeated_ ? Repeated(Load("bhkf", dtype_)) : Load("b" + heads + "kf", dtype_);
    Value result = Dot(Converted(probabilities, dtype_), value, "b" + heads, 'k');
    if (OneOf(3) == 0) result = Converted(result, dtype_);
    result = Moved(result);
    if (OneOf(2) == 0) result = Merged(result);
    if (OneOf(3) == 0) result = Converted(result, dtype_);
    out_.text =
        absl::StrCat("func.func @main(", absl::StrJoin(parameters_, ", "), ") -> ", TypeOf(result),
                     " {\n", body_, "  return ", result.name, " : ", TypeOf(result), "\n}\n");
    out_.tolerance = dtype_ == "f32" ? 1e-4 : dtype_ == "f16" ? 2e-2 : 1e-1;
    return std::move(out_);
  }

 private:
  int64_t OneOf(int64_t count) {
    return std::uniform_int_distribution<int64_t>(0, count - 1)(random_);
  }
  int64_t Within(int64_t low, int64_t high) { return low + OneOf(high - low + 1); }

  void ChooseSizes() {
    static constexpr const char* kDTypes[] = {"f32", "f32", "f32", "f16", "bf16"};
    dtype_ = kDTypes[OneOf(5)];
    size_ = {{'b', Within(1, 3)},  {'h', Within(1, 3)}, {'g', Within(1, 3)}, {'q', Within(1, 9)},
             {'k', Within(2, 11)}, {'d', Within(2, 9)}, {'f', Within(2, 9)}};
    for (const char axis : {'q', 'k'}) {
      if (OneOf(4) == 0) size_[axis] = Within(17, 70);
    }
    for (const char axis : {'d', 'f'}) {
      if (OneOf(2) == 0) size_[axis] *= 8;
    }
    size_['n'] = size_['h'] * size_['g'];
    is_grouped_ = OneOf(3) == 0;
    is_repeated_ = !is_grouped_ && OneOf(3) == 0;
  }

  std::string TypeOf(const Value& value) const {
    std::string text = "tensor<";
    for (const char axis : value.axes) absl::StrAppend(&text, size_.at(axis), "x");
    return absl::StrCat(text, value.dtype, ">");
  }
  std::string Shuffled(std::string axes) {
    std::shuffle(axes.begin(), axes.end(), random_);
    return axes;
  }

  // A new value by the op's text, which its type has to follow.
  template <typename... Text>
  Value Begin(std::string axes, std::string dtype, const Text&... op) {
    Value value{absl::StrCat("%v", next_++), std::move(axes), std::move(dtype)};
    absl::StrAppend(&body_, "  ", value.name, " = stablehlo.", op...);
    return value;
  }
  // The same for ops whose text names the types of all operands.
  Value Define(std::string axes, std::string dtype, const std::string& op,
               const std::vector<Value>& from, const std::string& more = "") {
    std::vector<std::string> names, types;
    for (const Value& value : from) {
      names.push_back(value.name);
      types.push_back(TypeOf(value));
    }
    Value value = Begin(std::move(axes), std::move(dtype), op, " ", absl::StrJoin(names, ", "),
                        more, " : (", absl::StrJoin(types, ", "), ") -> ");
    absl::StrAppend(&body_, TypeOf(value), "\n");
    return value;
  }
  Value Elementwise(const std::string& op, const std::vector<Value>& from) {
    return Define(from.back().axes, from.back().dtype, op, from);
  }
  Value Converted(const Value& value, const std::string& dtype) {
    return value.dtype == dtype ? value : Define(value.axes, dtype, "convert", {value});
  }
  std::string Positions(const std::string& of, const std::string& in) const {
    std::vector<size_t> positions;
    for (const char axis : of) positions.push_back(in.find(axis));
    return absl::StrCat("[", absl::StrJoin(positions, ", "), "]");
  }
  Value Transposed(const Value& value, const std::string& axes) {
    if (axes == value.axes) return value;
    return Define(axes, value.dtype, "transpose", {value},
                  absl::StrCat(", dims = ", Positions(axes, value.axes)));
  }
  // As it is, or transposed.
  Value Moved(const Value& value) {
    return OneOf(2) == 0 ? value : Transposed(value, Shuffled(value.axes));
  }
  Value Broadcast(const Value& value, const std::string& axes) {
    if (axes == value.axes) return value;
    return Define(axes, value.dtype, "broadcast_in_dim", {value},
                  absl::StrCat(", dims = ", Positions(value.axes, axes)));
  }
  Value Splat(const std::string& number, const std::string& axes, const std::string& dtype) {
    const bool is_scalar = OneOf(2) == 0;
    Value value = Begin(is_scalar ? "" : axes, dtype, "constant dense<", number, "> : ");
    absl::StrAppend(&body_, TypeOf(value), "\n");
    return Broadcast(value, axes);
  }
  static std::string Infinity(const std::string& dtype) {
    return dtype == "f32" ? "0xFF800000" : dtype == "f16" ? "0xFC00" : "0xFF80";
  }

  // An axis in place of two neighbours.
  Value Merged(const Value& value) {
    if (value.axes.size() < 2) return value;
    const auto first = static_cast<size_t>(OneOf(static_cast<int64_t>(value.axes.size()) - 1));
    const char merged = Fresh(size_[value.axes[first]] * size_[value.axes[first + 1]]);
    std::string axes = value.axes;
    axes.replace(first, 2, 1, merged);
    return Define(axes, value.dtype, "reshape", {value});
  }
  char Fresh(int64_t size) {
    const char axis = fresh_++;
    size_[axis] = size;
    return axis;
  }

  Value Parameter(const std::string& axes, const std::string& dtype) {
    Value value{absl::StrCat("%arg", parameters_.size()), axes, dtype};
    parameters_.push_back(absl::StrCat(value.name, ": ", TypeOf(value)));
    ir::TensorType type{*ir::ParseDType(dtype), {}};
    for (const char axis : axes) type.dims.push_back(size_[axis]);
    std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
    std::uniform_real_distribution<double> numbers(-1, 1);
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      if (ir::IsFloat(type.dtype)) {
        ir::WriteFloat(type.dtype, bytes.data(), i, numbers(random_));
      } else {
        ir::WriteInt(type.dtype, bytes.data(), i,
                     type.dtype == ir::DType::kI1 ? OneOf(3) != 0 : OneOf(size_['k'] + 1));
      }
    }
    out_.arguments.push_back(ir::Literal::FromBytes(type, std::move(bytes)).value());
    return value;
  }

  // An argument with these axes in any order, of which it may be a part.
  Value Load(const std::string& some_axes, const std::string& dtype) {
    const std::string axes = Shuffled(some_axes);
    if (axes.size() >= 2 && OneOf(3) == 0) {
      const auto first = static_cast<size_t>(OneOf(static_cast<int64_t>(axes.size()) - 1));
      std::string merged = axes;
      merged.replace(first, 2, 1, Fresh(size_[axes[first]] * size_[axes[first + 1]]));
      return Moved(Define(axes, dtype, "reshape", {PartOf(merged, dtype)}));
    }
    return Moved(PartOf(axes, dtype));
  }
  Value PartOf(const std::string& axes, const std::string& dtype) {
    if (axes.empty() || OneOf(3) != 0) return Parameter(axes, dtype);
    std::string more = axes;
    const auto sliced = static_cast<size_t>(OneOf(static_cast<int64_t>(axes.size())));
    const int64_t size = size_[axes[sliced]], before = OneOf(3), stride = Within(1, 2);
    const int64_t end = before + (size - 1) * stride + 1;
    more[sliced] = Fresh(end + OneOf(3));
    const Value whole = Parameter(more, dtype);
    std::vector<std::string> ranges;
    for (size_t d = 0; d < axes.size(); ++d) {
      ranges.push_back(d == sliced ? absl::StrCat(before, ":", end, ":", stride)
                                   : absl::StrCat("0:", size_[axes[d]]));
    }
    return Define(axes, dtype, "slice", {whole},
                  absl::StrCat(" [", absl::StrJoin(ranges, ", "), "]"));
  }
  // The heads of keys for each of their queries.
  Value Repeated(const Value& value) {
    std::string axes = value.axes;
    axes.insert(axes.find('h') + 1, "g");
    const Value all = Broadcast(value, axes);
    axes.replace(axes.find("hg"), 2, "n");
    return Moved(Define(axes, value.dtype, "reshape", {all}));
  }

  Value Dot(const Value& a, const Value& b, const std::string& some_batch, char contracted) {
    const bool swaps = OneOf(2) == 0;
    const Value& lhs = swaps ? b : a;
    const Value& rhs = swaps ? a : b;
    const std::string batch = Shuffled(some_batch);
    std::string axes = batch;
    for (const Value* operand : {&lhs, &rhs}) {
      for (const char axis : operand->axes) {
        if (axis != contracted && batch.find(axis) == std::string::npos) axes += axis;
      }
    }
    const std::string dtype = OneOf(2) == 0 ? "f32" : dtype_;
    const std::string of(1, contracted);
    return Define(axes, dtype, "dot_general", {lhs, rhs},
                  absl::StrCat(", batching_dims = ", Positions(batch, lhs.axes), " x ",
                               Positions(batch, rhs.axes), ", contracting_dims = ",
                               Positions(of, lhs.axes), " x ", Positions(of, rhs.axes)));
  }

  Value MakeScores() {
    const std::string heads = is_grouped_ ? "h" : "n";
    const Value query = Load(is_grouped_ ? "bhgqd" : "bnqd", dtype_);
    const Value key =
        is_repeated_ ? Repeated(Load("bhkd", dtype_)) : Load("b" + heads + "kd", dtype_);
    Value scores = Moved(Dot(query, key, "b" + heads, 'd'));
    if (OneOf(3) == 0) scores = Converted(scores, "f32");
    const bool divides = OneOf(2) == 0;
    if (OneOf(4) != 0) {
      scores = Elementwise(divides ? "divide" : "multiply",
                           {scores, Splat(divides ? "1.75" : "0.625", scores.axes, scores.dtype)});
    }
    if (OneOf(3) == 0) scores = Moved(scores);
    if (OneOf(3) == 0) {
      std::string axes;
      for (const char axis : scores.axes) {
        if (OneOf(3) != 0) axes += axis;
      }
      Value bias = Load(axes, OneOf(2) == 0 ? dtype_ : scores.dtype);
      bias = Converted(bias, scores.dtype);
      bias = Broadcast(Sorted(bias, scores.axes), scores.axes);
      scores =
          OneOf(2) == 0 ? Elementwise("add", {scores, bias}) : Elementwise("add", {bias, scores});
    }
    const char* const kFills[] = {"", "-1.0e4", "0.0", "-0.25", "2.5"};
    const int64_t fill = OneOf(5);
    for (int64_t masks = OneOf(3); masks > 0; --masks) {
      const Value mask = MakeMask(scores.axes);
      const Value filled =
          Splat(fill == 0 ? Infinity(scores.dtype) : kFills[fill], scores.axes, scores.dtype);
      scores = OneOf(3) != 0 ? Select(mask, scores, filled) : Select(Not(mask), filled, scores);
      if (OneOf(4) == 0) scores = Moved(scores);
    }
    if (OneOf(2) == 0) scores = Converted(scores, "f32");
    return scores;
  }
  // With its axes in the order of others.
  Value Sorted(const Value& value, const std::string& order) {
    std::string axes = value.axes;
    std::sort(axes.begin(), axes.end(),
              [&](char a, char b) { return order.find(a) < order.find(b); });
    return Transposed(value, axes);
  }
  Value Select(const Value& mask, const Value& then, const Value& otherwise) {
    Value value = Begin(then.axes, then.dtype, "select ", mask.name, ", ", then.name, ", ",
                        otherwise.name, " : ", TypeOf(mask), ", ");
    absl::StrAppend(&body_, TypeOf(value), "\n");
    return value;
  }
  Value Not(const Value& mask) { return Elementwise("not", {mask}); }
  Value And(const Value& a, const Value& b) { return Elementwise("and", {a, b}); }

  Value Iota(const std::string& axes, char axis) {
    Value value = Begin(axes, "i32", "iota dim = ", axes.find(axis), " : ");
    absl::StrAppend(&body_, TypeOf(value), "\n");
    return value;
  }
  Value Compare(const Value& a, const Value& b) {
    static constexpr const char* kDirections[] = {"GE", "GT", "LE", "LT", "GE", "NE"};
    return Define(a.axes, "i1", absl::StrCat("compare ", kDirections[OneOf(6)], ","), {a, b},
                  ", SIGNED");
  }

  Value MakeMask(const std::string& axes) {
    switch (OneOf(5)) {
      case 0: {  // values
        std::string some;
        for (const char axis : axes) {
          if (OneOf(2) == 0) some += axis;
        }
        return Broadcast(Sorted(Load(some, "i1"), axes), axes);
      }
      case 1:
        return And(MakeMask(axes), MakeMask(axes));
      case 2: {  // lengths
        const Value lengths = Broadcast(Parameter("b", "i32"), axes);
        return Compare(Iota(axes, 'k'), lengths);
      }
      default: {  // causal, shifted
        const std::string own = OneOf(2) == 0 ? "qk" : "kq";
        Value rows = Iota(own, 'q');
        const Value keys = Iota(own, 'k');
        if (OneOf(2) == 0) {
          const Value shift = Splat(absl::StrCat(Within(-3, 6)), own, "i32");
          rows = Elementwise(OneOf(2) == 0 ? "add" : "subtract", {rows, shift});
        }
        Value mask = OneOf(2) == 0 ? Compare(rows, keys) : Compare(keys, rows);
        return Broadcast(mask, axes);
      }
    }
  }

  Value Softmax(const Value& scores) {
    const auto reduced = [&](const std::string& op, const std::string& initial, const Value& of) {
      Value start = Begin("", of.dtype, "constant dense<", initial, "> : ");
      absl::StrAppend(&body_, TypeOf(start), "\n");
      std::string axes = of.axes;
      axes.erase(axes.find('k'), 1);
      Value value = Begin(axes, of.dtype, "reduce(", of.name, " init: ", start.name,
                          ") applies stablehlo.", op, " across dimensions = [", of.axes.find('k'),
                          "] : (", TypeOf(of), ", ", TypeOf(start), ") -> ");
      absl::StrAppend(&body_, TypeOf(value), "\n");
      return value;
    };
    Value maximum = reduced("maximum", Infinity(scores.dtype), scores);
    if (OneOf(2) == 0) {
      maximum = Elementwise("maximum",
                            {Splat(Infinity(scores.dtype), maximum.axes, scores.dtype), maximum});
    }
    const Value difference = Elementwise("subtract", {scores, Broadcast(maximum, scores.axes)});
    const Value exponentials = Elementwise("exponential", {difference});
    Value sum;
    if (OneOf(2) == 0) {
      sum = Converted(reduced("add", "0.0", Converted(exponentials, "f32")), scores.dtype);
    } else {
      sum = reduced("add", "0.0", exponentials);
    }
    return Moved(Elementwise("divide", {exponentials, Broadcast(sum, scores.axes)}));
  }

  std::mt19937_64 random_;
  RandomAttention out_;
  std::string dtype_, body_;
  std::map<char, int64_t> size_;
  bool is_grouped_ = false;   // heads of queries for each of keys are a dimension of their own
  bool is_repeated_ = false;  // keys are repeated for them
  std::vector<std::string> parameters_;
  int next_ = 0;
  char fresh_ = 'A';
};

}  // namespace

RandomAttention MakeRandomAttention(uint64_t seed) { return Maker(seed).Make(); }

}  // namespace acceld::compiler
