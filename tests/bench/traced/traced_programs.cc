// Writes the programs of examples, as C++ traces them, for traced_programs.py, which compares them
// with what JAX lowers.
//
//   traced_programs FOLDER

#include <fstream>
#include <iostream>
#include <string>

#include "client/examples/gpt_model.h"
#include "client/tracing.h"

namespace acceld::bench {
namespace {

using client::Jit;
using client::Tensor;
using ir::DType;
using ir::TensorType;

// The types of the training state of a model.
examples::gpt::Training<TensorType> TrainingTypes(const examples::gpt::Sizes& sizes,
                                                  const client::optim::Adam& adam) {
  examples::gpt::Training<TensorType> types;
  const auto init = Jit([&](const Tensor& key) {
    const auto model = examples::gpt::Init(key, sizes);
    const examples::gpt::Training<Tensor> training{model, adam.Init(model)};
    types = client::MapLeaves<TensorType>(training, [](const Tensor& leaf) { return leaf.type(); });
    return training;
  });
  (void)init.Trace(TensorType{DType::kUI32, {2}});
  return types;
}

absl::Status Write(const std::string& folder, const std::string& name,
                   const absl::StatusOr<client::Program>& program) {
  if (!program.ok()) return Annotate(program.status(), name);
  std::ofstream file(folder + "/" + name + ".mlir");
  file << program->ToText();
  return file.good() ? absl::OkStatus() : absl::InternalError(folder + ": cannot be written");
}

absl::Status WriteAll(const std::string& folder) {
  const examples::gpt::Sizes sizes{.vocabulary = 80};
  const client::optim::Adam adam{.learning_rate = 2e-3, .weight_decay = 1e-4};
  const auto gpt =
      Jit([&](const examples::gpt::Training<Tensor>& training,
              const Tensor& tokens) { return examples::gpt::Step(training, tokens, sizes, adam); },
          {.name = "gpt_step"});
  ACCELD_RETURN_IF_ERROR(
      Write(folder, "gpt_step",
            gpt.Trace(TrainingTypes(sizes, adam), TensorType{DType::kI32, {16, 65}})));

  // A network of three layers, with the gradient of its loss.
  const auto mlp = [](const std::vector<Tensor>& w, const Tensor& x, const Tensor& labels) {
    Tensor y = x;
    for (size_t i = 0; i < w.size(); i += 2) {
      y = MatMul(y, w[i]) + w[i + 1];
      if (i + 2 < w.size()) y = client::nn::Relu(y);
    }
    return Mean(client::nn::SoftmaxCrossEntropy(y, labels));
  };
  const auto f32 = [](ir::Dims dims) { return TensorType{DType::kF32, std::move(dims)}; };
  const std::vector<TensorType> weights = {f32({64, 128}), f32({128}),    f32({128, 64}),
                                           f32({64}),      f32({64, 10}), f32({10})};
  ACCELD_RETURN_IF_ERROR(Write(folder, "mlp_gradient",
                               Jit(client::ValueAndGrad(mlp), {.name = "mlp"})
                                   .Trace(weights, f32({64, 64}), TensorType{DType::kI32, {64}})));
  ACCELD_RETURN_IF_ERROR(
      Write(folder, "mlp_per_example",
            Jit(client::Vmap(client::Grad(mlp), {std::nullopt, 0, 0}), {.name = "per_example"})
                .Trace(weights, f32({64, 1, 64}), TensorType{DType::kI32, {64, 1}})));

  // The gradient of a recurrent network.
  const auto rnn = [](const Tensor& w, const Tensor& u, const Tensor& xs) {
    const auto step = [&](const Tensor& h, const Tensor& x) {
      const Tensor next = Tanh(MatMul(h, w) + MatMul(x, u));
      return std::pair(next, std::tuple<>());
    };
    return Sum(Square(Scan(step, client::Zeros({16, 64}), xs).first));
  };
  return Write(folder, "rnn_gradient",
               Jit(client::Grad<0, 1>(rnn), {.name = "rnn"})
                   .Trace(f32({64, 64}), f32({32, 64}), f32({50, 16, 32})));
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: traced_programs FOLDER\n";
    return 2;
  }
  const absl::Status status = acceld::bench::WriteAll(argv[1]);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
