// Trains a small network on the handwritten digits, on the daemon.
//
// The loss is written once, in C++, as a function of tensors; its gradient and the optimizer make a
// step of it. The network never comes back while training: each step's results are handles that
// feed the next step, so the loop only submits. Only the loss and the accuracy are fetched, when
// they are shown.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/client.h"
#include "client/npy.h"
#include "client/tracing.h"
#include "client/tracing/ops/optim.h"
#include "client/tracing/ops/random.h"
#include "common/status.h"

namespace acceld::examples {
namespace {

namespace optim = client::optim;
using client::Array;
using client::Tensor;

struct Flags {
  std::string address;
  std::string data = ACCELD_EXAMPLES_DATA_DIR "/digits.npy";
  int epochs = 40;
  int batch = 64;
  double learning_rate = 0.002;
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

// A layer, and the network: of tensors in the traced functions, of arrays around them.
template <typename T>
struct Layer {
  T weights, bias;
  static auto Fields(auto& layer) { return std::tie(layer.weights, layer.bias); }
};
template <typename T>
using Network = std::vector<Layer<T>>;

// What a step of training takes and gives: the network, and what the optimizer remembers.
template <typename T>
struct Training {
  Network<T> network;
  optim::Adam::State<Network<T>> memory;
  static auto Fields(auto& training) { return std::tie(training.network, training.memory); }
};

// Random weights (He initialization), made on the device.
Network<Tensor> RandomNetwork(uint32_t seed) {
  const std::vector<Tensor> keys = client::random::SplitKeys(client::random::Key(seed), kNumLayers);
  Network<Tensor> network;
  for (int layer = 0; layer < kNumLayers; ++layer) {
    const int64_t in = kWidths[layer], out = kWidths[layer + 1];
    const Tensor normal = client::random::Normal(keys[layer], {in, out});
    network.push_back({normal * std::sqrt(2.0 / static_cast<double>(in)), client::Zeros({out})});
  }
  return network;
}

// The logits of each class, for rows of images.
Tensor Logits(const Network<Tensor>& network, const Tensor& images) {
  Tensor x = images;
  for (size_t layer = 0; layer < network.size(); ++layer) {
    x = MatMul(x, network[layer].weights) + network[layer].bias;
    if (layer + 1 < network.size()) x = client::nn::Relu(x);
  }
  return x;
}

Tensor Loss(const Network<Tensor>& network, const Tensor& images, const Tensor& labels) {
  return Mean(client::nn::SoftmaxCrossEntropy(Logits(network, images), labels));
}

// The share of images whose largest logit is their label.
Tensor Accuracy(const Network<Tensor>& network, const Tensor& images, const Tensor& labels) {
  return Mean(Convert(ArgMax(Logits(network, images), -1) == labels, ir::DType::kF32));
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

  const optim::Adam adam{.learning_rate = flags.learning_rate};
  const auto init = client::Jit(client,
                                [&](uint32_t seed) {
                                  const Network<Tensor> network = RandomNetwork(seed);
                                  return Training<Tensor>{network, adam.Init(network)};
                                },
                                {.name = "init"});
  // Every step gives up the training's arrays: the results take their memory.
  const auto step = client::Jit(
      client,
      [&](const Training<Tensor>& training, const Tensor& images, const Tensor& labels) {
        const auto [loss, gradients] =
            client::ValueAndGrad(&Loss)(training.network, images, labels);
        auto [network, memory] = adam.Update(gradients, training.memory, training.network);
        return std::pair(Training<Tensor>{network, memory}, loss);
      },
      {.name = "train_step", .donate = {0}});
  const auto accuracy = client::Jit(client, &Accuracy, {.name = "accuracy"});

  // The data goes to the daemon once; batches that are not full are left out.
  std::vector<Batch> batches;
  for (int64_t begin = 0; begin + flags.batch <= dataset.train.size(); begin += flags.batch) {
    ACCELD_ASSIGN_OR_RETURN(Batch batch, UploadBatch(*client, dataset.train, begin, flags.batch));
    batches.push_back(std::move(batch));
  }
  ACCELD_ASSIGN_OR_RETURN(const Batch test,
                          UploadBatch(*client, dataset.test, 0, dataset.test.size()));
  ACCELD_ASSIGN_OR_RETURN(Training<Array> training, init(client::Static(flags.seed)));

  std::mt19937 generator(flags.seed);
  float last_accuracy = 0;
  int steps = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= flags.epochs; ++epoch) {
    std::shuffle(batches.begin(), batches.end(), generator);
    Array loss;
    for (const Batch& batch : batches) {
      ACCELD_ASSIGN_OR_RETURN(std::tie(training, loss), step(training, batch.images, batch.labels));
      ++steps;
    }
    if (epoch % 5 != 0 && epoch != 1 && epoch != flags.epochs) continue;
    ACCELD_ASSIGN_OR_RETURN(const Array share,
                            accuracy(training.network, test.images, test.labels));
    ACCELD_ASSIGN_OR_RETURN(const float loss_value, FetchScalar(loss));
    ACCELD_ASSIGN_OR_RETURN(last_accuracy, FetchScalar(share));
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
