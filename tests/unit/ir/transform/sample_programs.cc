#include "tests/unit/ir/transform/sample_programs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::ir {
namespace {

std::string Unary(const std::string& op, const std::string& type = "tensor<3x2xf64>") {
  return absl::StrCat("func.func @main(%x: ", type, ") -> ", type, " {\n  %y = stablehlo.", op,
                      " %x : ", type, "\n  return %y : ", type, "\n}");
}

std::string Binary(const std::string& op, const std::string& type = "tensor<3x2xf64>") {
  return absl::StrCat("func.func @main(%x: ", type, ", %y: ", type, ") -> ", type,
                      " {\n  %z = stablehlo.", op, " %x, %y : ", type, "\n  return %z : ", type,
                      "\n}");
}

std::vector<SampleProgram> ElementwiseOpsOfOneOperand() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  for (const char* op : {"abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one",
                         "floor", "log", "log_plus_one", "logistic", "negate", "round_nearest_afz",
                         "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    add(Unary(op), 0.3, 1.3);
  }
  for (const char* op : {"abs", "negate", "sine", "tanh", "cbrt"}) {
    add(Unary(op), -1.4, -0.3);
  }
  return programs;
}

std::vector<SampleProgram> ElementwiseOpsOfComplexNumbers() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  for (const char* op : {"cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
                         "logistic", "negate", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    add(Unary(op, "tensor<4xcomplex<f64>>"));
  }
  for (const char* op : {"add", "subtract", "multiply", "divide", "power"}) {
    add(Binary(op, "tensor<4xcomplex<f64>>"));
  }
  add(R"(
    func.func @main(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
      %z = stablehlo.complex %x, %y : tensor<4xcomplex<f64>>
      %w = stablehlo.multiply %z, %z : tensor<4xcomplex<f64>>
      %a = stablehlo.abs %w : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
      %re = stablehlo.real %w : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
      %im = stablehlo.imag %w : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
      return %a, %re, %im : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    })");
  return programs;
}

std::vector<SampleProgram> ElementwiseOpsOfTwoOperands() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  for (const char* op : {"add", "atan2", "divide", "maximum", "minimum", "multiply", "power",
                         "remainder", "subtract"}) {
    add(Binary(op));
  }
  return programs;
}

std::vector<SampleProgram> SelectAndClamp() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<6xf64>, %y: tensor<6xf64>) -> tensor<6xf64> {
      %p = stablehlo.compare GT, %x, %y, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
      %s = stablehlo.sine %x : tensor<6xf64>
      %z = stablehlo.select %p, %s, %y : tensor<6xi1>, tensor<6xf64>
      return %z : tensor<6xf64>
    })");
  add(R"(
    func.func @main(%low: tensor<f64>, %x: tensor<9xf64>, %high: tensor<9xf64>) -> tensor<9xf64> {
      %two = stablehlo.constant dense<2.0> : tensor<9xf64>
      %above = stablehlo.add %high, %two : tensor<9xf64>
      %twice = stablehlo.add %x, %x : tensor<9xf64>
      %z = stablehlo.clamp %low, %twice, %above : (tensor<f64>, tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
      return %z : tensor<9xf64>
    })");
  return programs;
}

std::vector<SampleProgram> OpsThatMoveElements() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<2x1xf64>) -> tensor<3x4x2xf64> {
      %y = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xf64>) -> tensor<3x4x2xf64>
      %z = stablehlo.multiply %y, %y : tensor<3x4x2xf64>
      return %z : tensor<3x4x2xf64>
    })");
  add(R"(
    func.func @main(%x: tensor<2x3xf64>) -> tensor<4x2xf64> {
      %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
      %b = stablehlo.reverse %a, dims = [0] : tensor<3x2xf64>
      %c = stablehlo.slice %b [0:3:2, 0:2] : (tensor<3x2xf64>) -> tensor<2x2xf64>
      %d = stablehlo.concatenate %c, %c, dim = 0 : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<4x2xf64>
      %e = stablehlo.reshape %d : (tensor<4x2xf64>) -> tensor<2x4xf64>
      %f = stablehlo.reshape %e : (tensor<2x4xf64>) -> tensor<4x2xf64>
      %g = stablehlo.multiply %f, %d : tensor<4x2xf64>
      return %g : tensor<4x2xf64>
    })");
  add(R"(
    func.func @main(%x: tensor<5x3xf64>, %p: tensor<f64>) -> tensor<7x4xf64> {
      %y = stablehlo.pad %x, %p, low = [1, -1], high = [-3, 2], interior = [1, 0]
        : (tensor<5x3xf64>, tensor<f64>) -> tensor<7x4xf64>
      %z = stablehlo.multiply %y, %y : tensor<7x4xf64>
      return %z : tensor<7x4xf64>
    })");
  add(R"(
    func.func @main(%x: tensor<5x3xf64>, %u: tensor<2x2xf64>) -> tensor<5x3xf64> {
      %i = stablehlo.constant dense<2> : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 2] : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
      %v = stablehlo.multiply %s, %u : tensor<2x2xf64>
      %y = stablehlo.dynamic_update_slice %x, %v, %i, %i : (tensor<5x3xf64>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
      %z = stablehlo.multiply %y, %y : tensor<5x3xf64>
      return %z : tensor<5x3xf64>
    })");
  return programs;
}

std::vector<SampleProgram> GatherMovesItsIndicesInside() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<5x3xf64>) -> tensor<4x2x3xf64> {
      %i = stablehlo.constant dense<[[0], [9], [2], [2]]> : tensor<4x1xi32>
      %y = "stablehlo.gather"(%x, %i) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 2, 3>} : (tensor<5x3xf64>, tensor<4x1xi32>) -> tensor<4x2x3xf64>
      %z = stablehlo.multiply %y, %y : tensor<4x2x3xf64>
      return %z : tensor<4x2x3xf64>
    })");
  return programs;
}

std::string Scatter(const std::string& body) {
  return absl::StrCat(R"(
    func.func @main(%x: tensor<5x3xf64>, %u: tensor<4x3xf64>) -> tensor<5x3xf64> {
      %i = stablehlo.constant dense<[[0], [9], [2], [4]]> : tensor<4x1xi32>
      %y = "stablehlo.scatter"(%x, %i, %u) ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):)",
                      body, R"(
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}
        : (tensor<5x3xf64>, tensor<4x1xi32>, tensor<4x3xf64>) -> tensor<5x3xf64>
      %z = stablehlo.multiply %y, %y : tensor<5x3xf64>
      return %z : tensor<5x3xf64>
    })");
}

std::vector<SampleProgram> ScattersLeaveOutWhatIsOutside() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(Scatter("\n%c = stablehlo.add %a, %b : tensor<f64>\nstablehlo.return %c : tensor<f64>"));
  add(Scatter("\n%c = stablehlo.multiply %a, %b : tensor<f64>\nstablehlo.return %c : tensor<f64>"));
  add(Scatter("\nstablehlo.return %b : tensor<f64>"));
  return programs;
}

std::vector<SampleProgram> OfUpdatesOfTheSameElementTheLastOneCounts() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<3xf64>, %u: tensor<4xf64>) -> tensor<3xf64> {
      %i = stablehlo.constant dense<[[0], [2], [0], [0]]> : tensor<4x1xi32>
      %y = "stablehlo.scatter"(%x, %i, %u) ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          stablehlo.return %b : tensor<f64>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<3xf64>, tensor<4x1xi32>, tensor<4xf64>) -> tensor<3xf64>
      %z = stablehlo.multiply %y, %y : tensor<3xf64>
      return %z : tensor<3xf64>
    })");
  return programs;
}

std::string Reduce(const std::string& op, const std::string& initial) {
  return absl::StrCat(
      R"(
    func.func @main(%x: tensor<2x5x3xf64>) -> tensor<5xf64> {
      %0 = stablehlo.constant dense<)",
      initial, R"(> : tensor<f64>
      %y = stablehlo.reduce(%x init: %0) applies stablehlo.)",
      op, R"( across dimensions = [0, 2] : (tensor<2x5x3xf64>, tensor<f64>) -> tensor<5xf64>
      return %y : tensor<5xf64>
    })");
}

std::vector<SampleProgram> Reductions() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(Reduce("add", "0.0"));
  add(Reduce("multiply", "2.0"));
  add(Reduce("maximum", "-9.0"));
  add(Reduce("minimum", "9.0"));
  // The initial value is the result.
  add(Reduce("maximum", "9.0"));
  return programs;
}

std::string ReduceWindow(const std::string& op, const std::string& initial, const std::string& out,
                         const std::string& attributes) {
  return absl::StrCat(R"(
    func.func @main(%x: tensor<6x5xf64>) -> )",
                      out, R"( {
      %0 = stablehlo.constant dense<)",
                      initial, R"(> : tensor<f64>
      %y = "stablehlo.reduce_window"(%x, %0) ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %s = stablehlo.)",
                      op, R"( %a, %b : tensor<f64>
          stablehlo.return %s : tensor<f64>
      }) {)",
                      attributes, R"(} : (tensor<6x5xf64>, tensor<f64>) -> )", out, R"(
      %z = stablehlo.multiply %y, %y : )",
                      out, "\n return %z : ", out, "\n}");
}

std::vector<SampleProgram> ReductionsOfWindows() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  const std::string plain =
      "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, "
      "padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>";
  for (const auto& [op, initial] : {std::pair<const char*, const char*>{"add", "0.0"},
                                    {"maximum", "-9.0"},
                                    {"minimum", "9.0"}}) {
    add(ReduceWindow(op, initial, "tensor<3x4xf64>", plain));
  }
  // Of some windows the initial value is the result.
  add(ReduceWindow("maximum", "1.4", "tensor<3x4xf64>", plain));
  add(ReduceWindow("add", "0.0", "tensor<5x3xf64>",
                   "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>, "
                   "base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 2>, "
                   "padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>"));
  return programs;
}

std::vector<SampleProgram> Products() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<2x3x4xf64>, %y: tensor<4x5x2xf64>) -> tensor<2x3x5xf64> {
      %z = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [2] x [0]
        : (tensor<2x3x4xf64>, tensor<4x5x2xf64>) -> tensor<2x3x5xf64>
      return %z : tensor<2x3x5xf64>
    })");
  add(R"(
    func.func @main(%x: tensor<3x2x4xf64>, %y: tensor<4x5x3xf64>) -> tensor<2x5xf64> {
      %z = stablehlo.dot_general %x, %y, contracting_dims = [2, 0] x [0, 2]
        : (tensor<3x2x4xf64>, tensor<4x5x3xf64>) -> tensor<2x5xf64>
      return %z : tensor<2x5xf64>
    })");
  return programs;
}

std::string Convolution(const std::string& x, const std::string& k, const std::string& out,
                        const std::string& window, int feature_groups, int batch_groups) {
  return absl::StrCat(
      "func.func @main(%x: ", x, ", %k: ", k, ") -> ", out,
      " {\n  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
      "o]->[b, 0, 1, f], window = {",
      window, "} {batch_group_count = ", batch_groups,
      " : i64, feature_group_count = ", feature_groups, " : i64} : (", x, ", ", k, ") -> ", out,
      "\n  return %y : ", out, "\n}");
}

std::vector<SampleProgram> Convolutions() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(Convolution("tensor<2x6x5x3xf64>", "tensor<3x2x3x4xf64>", "tensor<2x3x5x4xf64>",
                  "stride = [2, 1], pad = [[1, 1], [1, 0]]", 1, 1));
  add(Convolution("tensor<2x6x5x4xf64>", "tensor<3x2x2x6xf64>", "tensor<2x4x4x6xf64>", "", 2, 1));
  add(Convolution("tensor<4x6x5x3xf64>", "tensor<3x2x3x6xf64>", "tensor<2x4x4x6xf64>", "", 1, 2));
  add(Convolution(
      "tensor<1x4x3x2xf64>", "tensor<2x2x2x3xf64>", "tensor<1x7x3x3xf64>",
      "stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 1], rhs_dilate = [2, 2], "
      "reverse = [true, false]",
      1, 1));
  return programs;
}

std::vector<SampleProgram> NormalizationsOfBatches() {
  const std::string x = "tensor<2x3x4xf64>", v = "tensor<3xf64>";
  const auto program = [](const std::string& op, const std::vector<std::string>& operands,
                          const std::vector<std::string>& results) {
    std::vector<std::string> arguments, values;
    for (size_t i = 0; i < operands.size(); ++i) {
      arguments.push_back(absl::StrCat("%a", i, ": ", operands[i]));
      values.push_back(absl::StrCat("%a", i));
    }
    const std::string types = absl::StrJoin(results, ", ");
    const bool is_one = results.size() == 1;
    return SampleProgram{absl::StrCat(
        "func.func @main(", absl::StrJoin(arguments, ", "), ") -> (", types, ") {\n%r",
        is_one ? "" : absl::StrCat(":", results.size()), " = \"stablehlo.", op, "\"(",
        absl::StrJoin(values, ", "), ") {epsilon = 1.0e-1 : f32, feature_index = 1 : i64} : (",
        absl::StrJoin(operands, ", "), ") -> ", is_one ? types : absl::StrCat("(", types, ")"),
        "\nreturn ", is_one ? "%r" : "%r#0, %r#1, %r#2", " : ", types, "\n}")};
  };
  return {program("batch_norm_inference", {x, v, v, v, v}, {x}),
          program("batch_norm_training", {x, v, v}, {x, v, v}),
          program("batch_norm_grad", {x, v, v, v, x}, {x, v, v})};
}

std::vector<SampleProgram> SortsMoveTangents() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3x5xf64>) {
      %r:2 = "stablehlo.sort"(%x, %y) ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>):
          %p = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<3x5xf64>, tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3x5xf64>)
      %z = stablehlo.multiply %r#0, %r#1 : tensor<3x5xf64>
      return %z, %r#0 : tensor<3x5xf64>, tensor<3x5xf64>
    })");
  return programs;
}

std::vector<SampleProgram> LinearAlgebra() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  for (const char* lower : {"true", "false"}) {
    // A symmetric matrix with a strong diagonal.
    add(absl::StrCat(R"(
      func.func @main(%x: tensor<2x3x3xf64>) -> tensor<2x3x3xf64> {
        %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
        %s = stablehlo.add %x, %t : tensor<2x3x3xf64>
        %d = stablehlo.constant dense<[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf64>
        %b = stablehlo.broadcast_in_dim %d, dims = [1, 2] : (tensor<3x3xf64>) -> tensor<2x3x3xf64>
        %a = stablehlo.add %s, %b : tensor<2x3x3xf64>
        %y = stablehlo.cholesky %a, lower = )",
                     lower, R"( : tensor<2x3x3xf64>
        return %y : tensor<2x3x3xf64>
      })"));
    for (const char* left : {"true", "false"}) {
      for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        for (const char* unit : {"true", "false"}) {
          add(absl::StrCat(R"(
            func.func @main(%a: tensor<3x3xf64>, %b: tensor<3x3xf64>) -> tensor<3x3xf64> {
              %x = "stablehlo.triangular_solve"(%a, %b) {left_side = )",
                           left, ", lower = ", lower, ", unit_diagonal = ", unit,
                           ", transpose_a = #stablehlo<transpose ", transpose, R"(>}
                : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
              return %x : tensor<3x3xf64>
            })"));
        }
      }
    }
  }
  return programs;
}

std::vector<SampleProgram> FourierTransforms() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  for (const char* kind : {"FFT", "IFFT"}) {
    add(absl::StrCat(R"(
      func.func @main(%x: tensor<2x6xcomplex<f64>>) -> tensor<2x6xcomplex<f64>> {
        %y = stablehlo.fft %x, type = )",
                     kind, R"(, length = [2, 6]
          : (tensor<2x6xcomplex<f64>>) -> tensor<2x6xcomplex<f64>>
        return %y : tensor<2x6xcomplex<f64>>
      })"));
  }
  for (const int n : {6, 7}) {
    const int m = n / 2 + 1;
    add(absl::StrCat("func.func @main(%x: tensor<2x", n, "xf64>) -> tensor<2x", m,
                     "xcomplex<f64>> {\n%y = stablehlo.fft %x, type = RFFT, length = [2, ", n,
                     "] : (tensor<2x", n, "xf64>) -> tensor<2x", m,
                     "xcomplex<f64>>\nreturn %y : tensor<2x", m, "xcomplex<f64>>\n}"));
    add(absl::StrCat("func.func @main(%x: tensor<2x", m, "xcomplex<f64>>) -> tensor<2x", n,
                     "xf64> {\n%y = stablehlo.fft %x, type = IRFFT, length = [2, ", n,
                     "] : (tensor<2x", m, "xcomplex<f64>>) -> tensor<2x", n,
                     "xf64>\nreturn %y : tensor<2x", n, "xf64>\n}"));
  }
  return programs;
}

std::vector<SampleProgram> CallsAndBranches() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  const std::string f = R"(
    func.func private @f(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
      %c = stablehlo.multiply %a, %b : tensor<3xf64>
      %d = stablehlo.sine %c : tensor<3xf64>
      return %d, %b : tensor<3xf64>, tensor<3xf64>
    })";
  add(absl::StrCat("module {", R"(
    func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
      %r:2 = func.call @f(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
      %s:2 = func.call @f(%r#0, %x) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
      %z = stablehlo.add %s#0, %r#1 : tensor<3xf64>
      return %z : tensor<3xf64>
    })",
                   f, "}"));
  for (const int index : {0, 1, 2}) {
    add(absl::StrCat(R"(
      func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
        %i = stablehlo.constant dense<)",
                     index, R"(> : tensor<i32>
        %r:2 = "stablehlo.case"(%i) ({
          %a = stablehlo.multiply %x, %y : tensor<3xf64>
          stablehlo.return %a, %x : tensor<3xf64>, tensor<3xf64>
        }, {
          %b = stablehlo.exponential %x : tensor<3xf64>
          %c = stablehlo.constant dense<2.0> : tensor<3xf64>
          stablehlo.return %b, %c : tensor<3xf64>, tensor<3xf64>
        }, {
          %d = stablehlo.sine %y : tensor<3xf64>
          %e = stablehlo.multiply %d, %x : tensor<3xf64>
          stablehlo.return %e, %d : tensor<3xf64>, tensor<3xf64>
        }) : (tensor<i32>) -> (tensor<3xf64>, tensor<3xf64>)
        return %r#0, %r#1 : tensor<3xf64>, tensor<3xf64>
      })"));
  }
  return programs;
}

std::vector<SampleProgram> LoopsThatCount() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text, double low = 0.3, double high = 1.7) {
    programs.push_back({std::move(text), low, high});
  };
  add(R"(
    func.func @main(%x: tensor<3xf64>, %w: tensor<3xf64>) -> (tensor<3xf64>, tensor<4x3xf64>) {
      %0 = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.constant dense<1> : tensor<i32>
      %ys = stablehlo.constant dense<0.0> : tensor<4x3xf64>
      %r:3 = stablehlo.while(%i = %0, %h = %x, %out = %ys) : tensor<i32>, tensor<3xf64>, tensor<4x3xf64>
        cond {
          %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %a = stablehlo.multiply %h, %w : tensor<3xf64>
          %b = stablehlo.sine %a : tensor<3xf64>
          %c = stablehlo.reshape %b : (tensor<3xf64>) -> tensor<1x3xf64>
          %d = stablehlo.dynamic_update_slice %out, %c, %i, %0 : (tensor<4x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<4x3xf64>
          %j = stablehlo.add %i, %1 : tensor<i32>
          stablehlo.return %j, %b, %d : tensor<i32>, tensor<3xf64>, tensor<4x3xf64>
        }
      return %r#1, %r#2 : tensor<3xf64>, tensor<4x3xf64>
    })");
  return programs;
}

// Programs whose indices and numbers of iterations are arguments.
std::vector<SampleProgram> ChoicesOfArguments() {
  std::vector<SampleProgram> programs;
  const auto add = [&](std::string text) { programs.push_back({std::move(text)}); };
  add(R"(
    func.func @main(%x: tensor<5x3xf64>, %u: tensor<2x2xf64>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<2x2xf64>, tensor<5x3xf64>) {
      %s = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
      %y = stablehlo.dynamic_update_slice %x, %u, %j, %i : (tensor<5x3xf64>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
      return %s, %y : tensor<2x2xf64>, tensor<5x3xf64>
    })");
  add(R"(
    func.func @main(%x: tensor<5x3xf64>, %i: tensor<4x1xi32>, %u: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<5x3xf64>) {
      %y = "stablehlo.gather"(%x, %i) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 3>} : (tensor<5x3xf64>, tensor<4x1xi32>) -> tensor<4x3xf64>
      %z = "stablehlo.scatter"(%x, %i, %u) ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %c = stablehlo.add %a, %b : tensor<f64>
          stablehlo.return %c : tensor<f64>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<5x3xf64>, tensor<4x1xi32>, tensor<4x3xf64>) -> tensor<5x3xf64>
      return %y, %z : tensor<4x3xf64>, tensor<5x3xf64>
    })");
  add(R"(
    func.func @main(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
      %r = "stablehlo.case"(%i) ({
        %a = stablehlo.multiply %x, %x : tensor<3xf64>
        stablehlo.return %a : tensor<3xf64>
      }, {
        %b = stablehlo.exponential %x : tensor<3xf64>
        stablehlo.return %b : tensor<3xf64>
      }, {
        stablehlo.return %x : tensor<3xf64>
      }) : (tensor<i32>) -> tensor<3xf64>
      %s = "stablehlo.if"(%p) ({
        %c = stablehlo.sine %r : tensor<3xf64>
        stablehlo.return %c : tensor<3xf64>
      }, {
        stablehlo.return %x : tensor<3xf64>
      }) : (tensor<i1>) -> tensor<3xf64>
      %t = stablehlo.select %p, %s, %r : tensor<i1>, tensor<3xf64>
      return %s, %t : tensor<3xf64>, tensor<3xf64>
    })");
  return programs;
}

}  // namespace

const std::vector<SampleFamily>& SampleFamilies() {
  static const auto* const families = new std::vector<SampleFamily>{
      {"ElementwiseOpsOfOneOperand", ElementwiseOpsOfOneOperand()},
      {"ElementwiseOpsOfComplexNumbers", ElementwiseOpsOfComplexNumbers()},
      {"ElementwiseOpsOfTwoOperands", ElementwiseOpsOfTwoOperands()},
      {"SelectAndClamp", SelectAndClamp()},
      {"OpsThatMoveElements", OpsThatMoveElements()},
      {"GatherMovesItsIndicesInside", GatherMovesItsIndicesInside()},
      {"ScattersLeaveOutWhatIsOutside", ScattersLeaveOutWhatIsOutside()},
      {"OfUpdatesOfTheSameElementTheLastOneCounts", OfUpdatesOfTheSameElementTheLastOneCounts()},
      {"Reductions", Reductions()},
      {"ReductionsOfWindows", ReductionsOfWindows()},
      {"Products", Products()},
      {"Convolutions", Convolutions()},
      {"NormalizationsOfBatches", NormalizationsOfBatches()},
      {"SortsMoveTangents", SortsMoveTangents()},
      {"LinearAlgebra", LinearAlgebra()},
      {"FourierTransforms", FourierTransforms()},
      {"CallsAndBranches", CallsAndBranches()},
      {"LoopsThatCount", LoopsThatCount()},
      {"ChoicesOfArguments", ChoicesOfArguments()},
  };
  return *families;
}

}  // namespace acceld::ir
