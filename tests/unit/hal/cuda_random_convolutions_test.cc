// Convolutions of any shape, by kernels of a program and by cuDNN, beside the interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  template <typename List>
  const auto& Pick(const List& list) {
    return list[static_cast<size_t>(Between(0, static_cast<int64_t>(std::size(list)) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

// The letters or numbers of a tensor's dimensions, and their sizes.
struct Layout {
  std::vector<std::string> names;
  std::vector<int64_t> sizes;

  void Add(const std::string& name, int64_t size) {
    names.push_back(name);
    sizes.push_back(size);
  }
  void SwapFirst() {
    std::swap(names[0], names[1]);
    std::swap(sizes[0], sizes[1]);
  }
  // The two named dimensions, which come first here, stay, go last, around the others, or anywhere.
  enum class Order { kFirst, kLast, kAround, kAny };
  void Rearrange(Dice& dice, Order to) {
    std::vector<size_t> order(names.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (to == Order::kLast) std::rotate(order.begin(), order.begin() + 2, order.end());
    if (to == Order::kAround) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (to == Order::kAny) {
      for (size_t i = order.size() - 1; i > 0; --i) {
        std::swap(order[i], order[static_cast<size_t>(dice.Between(0, static_cast<int64_t>(i)))]);
      }
    }
    const Layout old = *this;
    for (size_t i = 0; i < order.size(); ++i) {
      names[i] = old.names[order[i]];
      sizes[i] = old.sizes[order[i]];
    }
  }
  std::string Numbers() const { return absl::StrCat("[", absl::StrJoin(names, ", "), "]"); }
  std::string Type(absl::string_view dtype) const {
    return absl::StrCat("tensor<", absl::StrJoin(sizes, "x"), "x", dtype, ">");
  }
};

// One op of a program, `%number` of `%x` and `%k` with that number.
struct RandomConvolution {
  std::string lhs, rhs, out, text;
};

RandomConvolution MakeConvolution(Dice& dice, int number) {
  static constexpr const char* kTypes[] = {"f32", "f32", "f32", "f16",         "bf16",
                                           "f64", "i32", "ui8", "complex<f32>"};
  const std::string dtype = dice.Pick(kTypes);
  const bool is_narrow = dtype == "f16" || dtype == "bf16";
  // What networks have, and what a library has a function for; or anything.
  enum class Kind { kForward, kInputGradient, kKernelGradient, kAny };
  static constexpr Kind kKinds[] = {Kind::kForward, Kind::kInputGradient, Kind::kKernelGradient,
                                    Kind::kAny};
  const Kind kind = dice.Pick(kKinds);
  const bool is_any = kind == Kind::kAny;

  const int64_t features = dice.OneIn(40) ? 0 : dice.Between(1, 20);
  const int64_t feature_groups = dice.OneIn(4) ? dice.Between(2, 3) : 1;
  const int64_t batch_groups = feature_groups == 1 && dice.OneIn(5) ? dice.Between(2, 3) : 1;
  const int64_t batch = dice.Between(1, 4);
  const int64_t outputs =
      (dice.OneIn(5) ? dice.Between(1, 80) : dice.Between(4, 24)) * feature_groups * batch_groups;
  Layout lhs, rhs, out;
  lhs.Add("b", batch * batch_groups);
  lhs.Add("f", features * feature_groups);
  rhs.Add("i", features);
  rhs.Add("o", outputs);
  out.Add("b", batch);
  out.Add("f", outputs);
  // Kernel gradients sum over the images of a batch.
  if (kind == Kind::kKernelGradient) {
    for (Layout* layout : {&lhs, &out}) layout->SwapFirst();
  } else if (dice.OneIn(2)) {
    rhs.SwapFirst();
  }
  std::vector<std::string> strides, padding, lhs_dilation, rhs_dilation, reversal;
  const int64_t rank = dice.Between(0, 3);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = dice.OneIn(60) ? 0 : dice.Between(1, 9);
    const int64_t window = kind == Kind::kKernelGradient
                               ? std::max<int64_t>(1, size - dice.Between(0, 2))
                               : dice.Between(1, 4);
    const auto some = [&](bool may_be) { return may_be && dice.OneIn(3) ? dice.Between(2, 3) : 1; };
    const int64_t stride = some(kind != Kind::kInputGradient);
    const int64_t lhs_dilate = some(is_any || kind == Kind::kInputGradient);
    const int64_t rhs_dilate = some(true);
    const int64_t low = is_any                         ? dice.Between(-2, 3)
                        : kind == Kind::kInputGradient ? dice.Between(0, (window - 1) * rhs_dilate)
                                                       : dice.Between(0, 2);
    const int64_t high = is_any ? dice.Between(-2, 3) : low;
    const int64_t dilated = size == 0 ? 0 : (size - 1) * lhs_dilate + 1;
    const int64_t covered = (window - 1) * rhs_dilate + 1;
    const int64_t padded = dilated + low + high;
    const int64_t extent = padded < covered || padded <= 0 ? 0 : (padded - covered) / stride + 1;
    const std::string name = absl::StrCat(d);
    lhs.Add(name, size);
    rhs.Add(name, window);
    out.Add(name, extent);
    strides.push_back(absl::StrCat(stride));
    padding.push_back(absl::StrCat("[", low, ", ", high, "]"));
    lhs_dilation.push_back(absl::StrCat(lhs_dilate));
    rhs_dilation.push_back(absl::StrCat(rhs_dilate));
    reversal.push_back(kind == Kind::kInputGradient || (is_any && dice.OneIn(3)) ? "true"
                                                                                 : "false");
  }
  static constexpr Layout::Order kOrders[] = {Layout::Order::kFirst, Layout::Order::kLast,
                                              Layout::Order::kAround, Layout::Order::kAny};
  const Layout::Order order = dice.Pick(kOrders);
  for (Layout* layout : {&lhs, &rhs, &out}) {
    layout->Rearrange(dice, dice.OneIn(4) ? dice.Pick(kOrders) : order);
  }
  RandomConvolution made{.lhs = lhs.Type(dtype),
                         .rhs = rhs.Type(dtype),
                         .out = out.Type(is_narrow && dice.OneIn(4) ? "f32" : dtype)};
  made.text = absl::Substitute(
      R"(
  %$0 = stablehlo.convolution(%x$0, %k$0) dim_numbers = $1,
      window = {$2}
      {batch_group_count = $3 : i64, feature_group_count = $4 : i64} : ($5, $6) -> $7)",
      number, absl::StrCat(lhs.Numbers(), "x", rhs.Numbers(), "->", out.Numbers()),
      strides.empty() ? ""
                      : absl::StrCat("stride = [", absl::StrJoin(strides, ", "), "], pad = [",
                                     absl::StrJoin(padding, ", "), "], lhs_dilate = [",
                                     absl::StrJoin(lhs_dilation, ", "), "], rhs_dilate = [",
                                     absl::StrJoin(rhs_dilation, ", "), "], reverse = [",
                                     absl::StrJoin(reversal, ", "), "]"),
      batch_groups, feature_groups, made.lhs, made.rhs, made.out);
  return made;
}

// All of them in one program, which is one to compile.
std::string MakeProgram(Dice& dice, int count) {
  std::vector<std::string> parameters, types, ops, values;
  for (int i = 0; i < count; ++i) {
    const RandomConvolution made = MakeConvolution(dice, i);
    parameters.push_back(absl::Substitute("%x$0: $1, %k$0: $2", i, made.lhs, made.rhs));
    types.push_back(made.out);
    ops.push_back(made.text);
    values.push_back(absl::StrCat("%", i));
  }
  return absl::Substitute("func.func @main($0) -> ($1) {$2\n  return $3 : $1\n}",
                          absl::StrJoin(parameters, ", "), absl::StrJoin(types, ", "),
                          absl::StrJoin(ops, ""), absl::StrJoin(values, ", "));
}

// Small integers, so that sums are exact in any order.
ir::Literal SmallNumbers(Dice& dice, const ir::TensorType& type) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t number = dice.Between(-1, 1);
    if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i,
                       {static_cast<double>(number), static_cast<double>(dice.Between(-1, 1))});
    } else if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, static_cast<double>(number));
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i, number);
    }
  }
  return *ir::Literal::FromBytes(type, bytes);
}

class CudaRandomConvolutionsTest : public CudaDeviceTest,
                                   public ::testing::WithParamInterface<bool> {
 protected:
  void OpenWith(bool has_cudnn) {
    static const absl::StatusOr<kernels::cuda::Cudnn> missing =
        absl::FailedPreconditionError("no cuDNN");
    hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
    if (!has_cudnn) toolkit.find_cudnn = []() -> const auto& { return missing; };
    Open({}, {}, toolkit);
  }
};

TEST_P(CudaRandomConvolutionsTest, GiveWhatTheInterpreterGives) {
  OpenWith(GetParam());
  Dice dice(7);
  const std::string text = MakeProgram(dice, 40);
  SCOPED_TRACE(text);
  const absl::StatusOr<ir::Module> module = ir::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
    arguments.push_back(SmallNumbers(dice, type.tensor()));
  }
  const auto wanted = ir::Interpret(*module, "main", arguments);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  const auto results = Run(text, arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  for (size_t i = 0; i < wanted->size(); ++i) EXPECT_EQ((*results)[i], (*wanted)[i]) << i;
  if (!GetParam()) return;
  // So that it says something of the library.
  for (const char* function : {"cudnnConvolutionForward", "cudnnConvolutionBackwardData",
                               "cudnnConvolutionBackwardFilter"}) {
    EXPECT_GE(cuda_->CountOf(function), 1) << function;
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, CudaRandomConvolutionsTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "CuDnn" : "None"; });

}  // namespace
}  // namespace acceld::testing
