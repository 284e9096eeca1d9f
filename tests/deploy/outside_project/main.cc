// Fits a line to points by gradient descent, on the daemon that $ACCELD_ADDRESS names. Prints the
// slope and the offset. With an argument, it makes a mistake in a call of a template of the
// library, and prints the error.

#include <cstdio>
#include <memory>
#include <tuple>
#include <utility>

#include "acceld/acceld.h"

using namespace acceld::client;

template <typename T>
struct Line {
  T slope, offset;
  static auto Fields(auto& line) { return std::tie(line.slope, line.offset); }
};

Tensor Loss(const Line<Tensor>& line, const Tensor& x, const Tensor& y) {
  return Mean(Square(line.slope * x + line.offset - y));
}

absl::StatusOr<float> Number(const Array& array) {
  ACCELD_ASSIGN_OR_RETURN(const acceld::ir::Literal value, array.Fetch());
  return static_cast<float>(
      acceld::ir::ReadFloat(acceld::ir::DType::kF32, value.DenseBytes().data(), 0));
}

absl::Status Run() {
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, Client::Connect());
  const optim::Adam adam{.learning_rate = 0.05};
  const auto fit = Jit(client, [&](int steps) {
    const Tensor x = Linspace(-1, 1, 64);
    const Tensor y = 3 * x - 2;
    const Line<Tensor> start = {Zeros({}), Zeros({})};
    const auto step = [&](const Tensor&,
                          const std::pair<Line<Tensor>, optim::Adam::State<Line<Tensor>>>& state) {
      return adam.Update(Grad(&Loss)(state.first, x, y), state.second, state.first);
    };
    return ForiLoop(0, steps, step, std::pair(start, adam.Init(start))).first;
  });
  ACCELD_ASSIGN_OR_RETURN(const Line<Array> line, fit(Static(500)));
  ACCELD_ASSIGN_OR_RETURN(const float slope, Number(line.slope));
  ACCELD_ASSIGN_OR_RETURN(const float offset, Number(line.offset));
  std::printf("slope %.3f offset %.3f\n", slope, offset);
  return absl::OkStatus();
}

// The gradient does not fit the parameter.
absl::Status RunWrong() {
  const optim::Sgd sgd{.learning_rate = 0.1};
  const auto step = Jit([&](const Tensor& x) {
    const Tensor gradient = Zeros({3});
    return sgd.Update(gradient, sgd.Init(x), x).first;
  });
  return step.Trace(acceld::ir::TensorType{acceld::ir::DType::kF32, {2}}).status();
}

int main(int argc, char**) {
  const absl::Status status = argc > 1 ? RunWrong() : Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
