// Trains a small transformer on a text, letter by letter, and writes what it has learnt.

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/examples/example.h"
#include "client/examples/gpt_model.h"

namespace acceld::examples {
namespace {

using client::Array;
using client::Tensor;

struct Flags {
  std::string text = "/usr/share/common-licenses/GPL-3";
  gpt::Sizes sizes;
  int steps = 300;
  int64_t batch = 16;
  double learning_rate = 2e-3;
  int letters = 300;
  uint32_t seed = 1;
};

// A text as numbers: the letters that occur in it, in their order.
struct Corpus {
  std::string letters;
  std::vector<int32_t> tokens;
};

absl::StatusOr<Corpus> ReadCorpus(const Flags& flags) {
  std::ifstream file(flags.text, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (static_cast<int64_t>(text.size()) < 2 * flags.sizes.context) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.text, ": cannot be read, or is shorter than ", 2 * flags.sizes.context,
                     " bytes; --text names another one"));
  }
  Corpus corpus;
  std::array<int32_t, 256> numbers;
  numbers.fill(-1);
  for (const char letter : text) {
    int32_t& number = numbers[static_cast<uint8_t>(letter)];
    if (number < 0) {
      number = static_cast<int32_t>(corpus.letters.size());
      corpus.letters += letter;
    }
    corpus.tokens.push_back(number);
  }
  return corpus;
}

// Random pieces of the text, each with the letter that follows.
absl::StatusOr<Array> UploadBatch(client::Client& client, const Corpus& corpus, const Flags& flags,
                                  std::mt19937& generator) {
  const int64_t length = flags.sizes.context + 1;
  std::uniform_int_distribution<size_t> starts(0,
                                               corpus.tokens.size() - static_cast<size_t>(length));
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < flags.batch; ++i) {
    const auto first = corpus.tokens.begin() + static_cast<int64_t>(starts(generator));
    tokens.insert(tokens.end(), first, first + length);
  }
  return client.Upload(
      ir::Literal::FromValues<int32_t>({ir::DType::kI32, {flags.batch, length}}, tokens));
}

// Continues `start`, i32 [context], by `count` letters, drawn at random with the model's
// probabilities: a loop on the device.
Tensor Continue(const gpt::Model<Tensor>& model, const Tensor& start, uint32_t seed, int count,
                const gpt::Sizes& sizes) {
  const auto next = [&](const Tensor& window, const Tensor& key) {
    const Tensor logits = gpt::Logits(model, ExpandDims(window, 0), sizes);
    const Tensor letter = client::random::Categorical(key, At(logits, {0, -1}));
    return std::pair(
        client::Concatenate({SliceInDim(window, 1, sizes.context), ExpandDims(letter, 0)}), letter);
  };
  const Tensor keys = client::random::Split(client::random::Key(seed), count);
  return Scan(next, start, keys).second;
}

absl::Status Run(const std::shared_ptr<client::Client>& client, Flags flags) {
  ACCELD_ASSIGN_OR_RETURN(const Corpus corpus, ReadCorpus(flags));
  flags.sizes.vocabulary = static_cast<int64_t>(corpus.letters.size());
  const gpt::Sizes sizes = flags.sizes;
  const client::optim::Adam adam{.learning_rate = flags.learning_rate, .weight_decay = 1e-4};
  const auto init = client::Jit(client,
                                [&](uint32_t seed) {
                                  const gpt::Model<Tensor> model =
                                      gpt::Init(client::random::Key(seed), sizes);
                                  return gpt::Training<Tensor>{model, adam.Init(model)};
                                },
                                {.name = "init"});
  const auto step = client::Jit(client,
                                [&](const gpt::Training<Tensor>& training, const Tensor& tokens) {
                                  return gpt::Step(training, tokens, sizes, adam);
                                },
                                {.name = "gpt_step", .donate = {0}});
  const auto write =
      client::Jit(client,
                  [&](const gpt::Model<Tensor>& model, const Tensor& start, uint32_t seed,
                      int count) { return Continue(model, start, seed, count, sizes); },
                  {.name = "gpt_write"});

  std::cout << absl::StreamFormat(
      "%s: %d letters, %d different; %d layers of width %d; device: %s\n", flags.text,
      corpus.tokens.size(), sizes.vocabulary, sizes.layers, sizes.width,
      client->devices().front().name);
  ACCELD_ASSIGN_OR_RETURN(gpt::Training<Array> training, init(client::Static(flags.seed)));
  std::mt19937 generator(flags.seed);
  const Stopwatch watch;
  double compiled = 0;
  for (int i = 1; i <= flags.steps; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const Array tokens, UploadBatch(*client, corpus, flags, generator));
    Array loss;
    ACCELD_ASSIGN_OR_RETURN(std::tie(training, loss), step(training, tokens));
    if (i != 1 && i % std::max(flags.steps / 10, 1) != 0) continue;
    ACCELD_ASSIGN_OR_RETURN(const float value, FetchScalar(loss));
    if (i == 1) compiled = watch.Seconds();
    std::cout << absl::StreamFormat("step %4d/%d  loss %.3f  %6.1f s\n", i, flags.steps, value,
                                    watch.Seconds())
              << std::flush;
  }
  if (flags.steps > 1) {
    std::cout << absl::StreamFormat("%.2f s to the first loss; %.1f ms for each further step\n",
                                    compiled,
                                    1e3 * (watch.Seconds() - compiled) / (flags.steps - 1));
  }
  ACCELD_ASSIGN_OR_RETURN(
      const Array start,
      client->Upload(ir::Literal::FromValues<int32_t>(
          {ir::DType::kI32, {sizes.context}},
          absl::MakeConstSpan(corpus.tokens).first(static_cast<size_t>(sizes.context)))));
  ACCELD_ASSIGN_OR_RETURN(
      const Array written,
      write(training.model, start, client::Static(flags.seed), client::Static(flags.letters)));
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal letters, written.Fetch());
  std::string text;
  const std::string bytes = letters.DenseBytes();
  for (int64_t i = 0; i < letters.type().num_elements(); ++i) {
    text += corpus.letters[static_cast<size_t>(ir::ReadInt(ir::DType::kI32, bytes.data(), i))];
  }
  std::cout << "It writes:\n" << text << "\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace acceld::examples

int main(int argc, char** argv) {
  acceld::examples::Flags flags;
  CLI::App app{"Trains a small transformer on a text, on a running acceld, and writes letters.",
               "gpt"};
  app.add_option("--text", flags.text, "the text, any file")->capture_default_str();
  app.add_option("--steps", flags.steps, "of training")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--batch", flags.batch, "pieces of text in a step")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--layers", flags.sizes.layers, "of the transformer")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  app.add_option("--learning-rate", flags.learning_rate, "step size")->capture_default_str();
  app.add_option("--letters", flags.letters, "to write at the end")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--seed", flags.seed, "of the weights, the pieces and the letters")
      ->capture_default_str();
  return acceld::examples::RunExample(
      app, argc, argv, [&](const auto& client) { return acceld::examples::Run(client, flags); });
}
