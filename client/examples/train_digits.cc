// Trains a small network on the handwritten digits, on the daemon.
//
// The step is written once, in C++, as a function of tensors. Its parameters never come back while
// training: each step's results are handles that feed the next step, so the loop only submits. Only
// the loss and the accuracy are fetched, when they are shown.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/client.h"
#include "client/npy.h"
#include "client/tracing.h"
#include "common/status.h"

namespace acceld::examples {
namespace {

using client::Array;
using client::Tensor;

struct Flags {
  std::string address;
  std::string data = ACCELD_EXAMPLES_DATA_DIR "/digits.npy";
  int epochs = 40;
  int batch = 64;
  double learning_rate = 0.1;
  double momentum = 0.9;
  uint32_t seed = 1;
};

constexpr int64_t kPixels = 64;
constexpr int64_t kClasses = 10;
constexpr int64_t kWidths[] = {kPixels, 128, 64, kClasses};
constexpr int kNumLayers = 3;

// Rows of images (f32, pixels scaled to 0..1) and labels (i32).
struct Samples {
  std::vector<float> images;
  std::vector<int32_t> labels;
  int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

struct Dataset {
  Samples train, test;
};

// Shuffles with a fixed seed and keeps every fifth image for the test.
absl::StatusOr<Dataset> LoadDigits(const Flags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal digits, client::ReadNpy(flags.data));
  const ir::TensorType& type = digits.type();
  if (type.dtype != ir::DType::kUI8 || type.rank() != 2 || type.dims[1] != kPixels + 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        flags.data, ": expected ui8 rows of 64 pixels and a label, it is ", type.ToString()));
  }
  const std::string bytes = digits.DenseBytes();
  std::vector<int64_t> order(type.dims[0]);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(flags.seed));

  Dataset dataset;
  for (size_t i = 0; i < order.size(); ++i) {
    Samples& samples = i % 5 == 0 ? dataset.test : dataset.train;
    const char* row = &bytes[order[i] * (kPixels + 1)];
    for (int64_t p = 0; p < kPixels; ++p)
      samples.images.push_back(static_cast<uint8_t>(row[p]) / 16.0f);
    samples.labels.push_back(static_cast<uint8_t>(row[kPixels]));
  }
  return dataset;
}

// He initialization; velocities start at zero. Order: w1 b1 w2 b2 w3 b3, then their velocities.
absl::StatusOr<std::vector<Array>> InitialState(client::Client& client, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<ir::Literal> values;
  for (int layer = 0; layer < kNumLayers; ++layer) {
    const int64_t in = kWidths[layer], out = kWidths[layer + 1];
    std::normal_distribution<float> normal(0, std::sqrt(2.0f / in));
    std::vector<float> weights(in * out);
    for (float& w : weights) w = normal(generator);
    values.push_back(ir::Literal::FromValues<float>({ir::DType::kF32, {in, out}}, weights));
    values.push_back(ir::Literal::Zeros({ir::DType::kF32, {out}}));
  }
  for (int i = 0; i < 2 * kNumLayers; ++i) values.push_back(ir::Literal::Zeros(values[i].type()));

  std::vector<Array> state;
  for (const ir::Literal& value : values) {
    ACCELD_ASSIGN_OR_RETURN(Array array, client.Upload(value));
    state.push_back(std::move(array));
  }
  return state;
}

// Activations of every layer; the last are the logits.
std::vector<Tensor> Forward(const std::vector<Tensor>& state, const Tensor& images) {
  std::vector<Tensor> activations = {images};
  for (int layer = 0; layer < kNumLayers; ++layer) {
    Tensor z = MatMul(activations.back(), state[2 * layer]) + state[2 * layer + 1];
    activations.push_back(layer + 1 < kNumLayers ? Relu(z) : z);
  }
  return activations;
}

// (state..., images, labels) -> (state..., loss): one step of gradient descent with momentum on the
// mean cross entropy, the gradient written out.
std::vector<Tensor> TrainStep(const std::vector<Tensor>& arguments, double learning_rate,
                              double momentum) {
  const std::vector<Tensor> state(arguments.begin(), arguments.end() - 2);
  const Tensor& images = arguments[arguments.size() - 2];
  const double batch = static_cast<double>(images.shape()[0]);
  const std::vector<Tensor> activations = Forward(state, images);
  const Tensor& logits = activations.back();
  const Tensor target = OneHot(arguments.back(), kClasses);
  const Tensor loss = Mean(LogSumExp(logits) - Sum(logits * target, {-1}));

  std::vector<Tensor> gradients(2 * kNumLayers, 0.0);
  Tensor delta = (Softmax(logits) - target) / batch;
  for (int layer = kNumLayers - 1; layer >= 0; --layer) {
    gradients[2 * layer] = MatMul(Transpose(activations[layer]), delta);
    gradients[2 * layer + 1] = Sum(delta, {0});
    if (layer > 0) {
      delta = Where(activations[layer] > 0, MatMul(delta, Transpose(state[2 * layer])), 0.0);
    }
  }

  std::vector<Tensor> parameters, velocities;
  for (int i = 0; i < 2 * kNumLayers; ++i) {
    velocities.push_back(momentum * state[2 * kNumLayers + i] - learning_rate * gradients[i]);
    parameters.push_back(state[i] + velocities[i]);
  }
  std::vector<Tensor> results = parameters;
  results.insert(results.end(), velocities.begin(), velocities.end());
  results.push_back(loss);
  return results;
}

// (state..., images, labels) -> the share of images whose largest logit is their label.
Tensor Accuracy(const std::vector<Tensor>& arguments) {
  const std::vector<Tensor> state(arguments.begin(), arguments.end() - 2);
  const Tensor logits = Forward(state, arguments[arguments.size() - 2]).back();
  return Mean(Convert(ArgMax(logits, -1) == arguments.back(), ir::DType::kF32));
}

struct Batch {
  Array images, labels;
};

absl::StatusOr<Batch> UploadBatch(client::Client& client, const Samples& samples, int64_t begin,
                                  int64_t size) {
  Batch batch;
  ACCELD_ASSIGN_OR_RETURN(
      batch.images,
      client.Upload(ir::Literal::FromValues<float>(
          {ir::DType::kF32, {size, kPixels}},
          absl::MakeConstSpan(samples.images).subspan(begin * kPixels, size * kPixels))));
  ACCELD_ASSIGN_OR_RETURN(
      batch.labels,
      client.Upload(ir::Literal::FromValues<int32_t>(
          {ir::DType::kI32, {size}}, absl::MakeConstSpan(samples.labels).subspan(begin, size))));
  return batch;
}

absl::StatusOr<float> FetchScalar(const Array& array) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, array.Fetch());
  return static_cast<float>(ir::ReadFloat(ir::DType::kF32, value.bytes().data(), 0));
}

absl::Status Train(const Flags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const Dataset dataset, LoadDigits(flags));
  if (flags.batch > dataset.train.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--batch ", flags.batch, " is more than the ",
                                                   dataset.train.size(), " training images"));
  }
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<client::Client> client,
                          client::Client::Connect({.address = flags.address}));
  std::cout << absl::StreamFormat("%d training images, %d test images; device: %s\n",
                                  dataset.train.size(), dataset.test.size(),
                                  client->devices().front().name);

  const client::Function step(
      client,
      [&flags](const std::vector<Tensor>& arguments) {
        return TrainStep(arguments, flags.learning_rate, flags.momentum);
      },
      "train_step");
  const client::Function accuracy(
      client, [](const std::vector<Tensor>& arguments) { return Accuracy(arguments); }, "accuracy");

  // The data goes to the daemon once; batches that are not full are left out.
  std::vector<Batch> batches;
  for (int64_t begin = 0; begin + flags.batch <= dataset.train.size(); begin += flags.batch) {
    ACCELD_ASSIGN_OR_RETURN(Batch batch, UploadBatch(*client, dataset.train, begin, flags.batch));
    batches.push_back(std::move(batch));
  }
  ACCELD_ASSIGN_OR_RETURN(const Batch test,
                          UploadBatch(*client, dataset.test, 0, dataset.test.size()));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Array> state, InitialState(*client, flags.seed));

  std::mt19937 generator(flags.seed);
  float last_accuracy = 0;
  int steps = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= flags.epochs; ++epoch) {
    std::shuffle(batches.begin(), batches.end(), generator);
    Array loss;
    for (const Batch& batch : batches) {
      std::vector<Array> arguments = state;
      arguments.push_back(batch.images);
      arguments.push_back(batch.labels);
      ACCELD_ASSIGN_OR_RETURN(state, step.CallAll(arguments));
      loss = state.back();
      state.pop_back();
      ++steps;
    }
    if (epoch % 5 != 0 && epoch != 1 && epoch != flags.epochs) continue;
    std::vector<Array> arguments = state;
    arguments.push_back(test.images);
    arguments.push_back(test.labels);
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> share, accuracy.CallAll(arguments));
    ACCELD_ASSIGN_OR_RETURN(const float loss_value, FetchScalar(loss));
    ACCELD_ASSIGN_OR_RETURN(last_accuracy, FetchScalar(share.front()));
    std::cout << absl::StreamFormat("epoch %3d/%d  loss %.4f  test accuracy %.2f %%\n", epoch,
                                    flags.epochs, loss_value, 100 * last_accuracy)
              << std::flush;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << absl::StreamFormat("%d steps of %d images in %.2f s; final test accuracy %.2f %%\n",
                                  steps, flags.batch, seconds, 100 * last_accuracy);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"Trains a three-layer network on 1,797 handwritten digits, on a running acceld."};
  app.add_option("--address", flags.address,
                 "the daemon or daemons, as accelctl has it (default: the usual socket)");
  app.add_option("--data", flags.data, "the images, a .npy file")->capture_default_str();
  app.add_option("--epochs", flags.epochs, "passes over the training images")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--batch", flags.batch, "images per step")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--learning-rate", flags.learning_rate, "step size")->capture_default_str();
  app.add_option("--momentum", flags.momentum, "share of the last step kept")
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "of the initial weights and the order of the images")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = Train(flags); !status.ok()) {
    std::cerr << "train_digits: " << status.message() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace acceld::examples

int main(int argc, char** argv) { return acceld::examples::Main(argc, argv); }
