#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// Runs a libFuzzer target as an ordinary test, without a fuzzing compiler:
//   <target>_fuzz CORPUS_FOLDER FOUND_FOLDER MUTATIONS [TOKENS_FILE]
// It gives the target every file of the folders, then MUTATIONS inputs made from them with a fixed
// seed, from each folder as many: half of them with bytes changed in place, the others truncated,
// with flipped bits, with pieces of another file, with tokens inserted (one per line of
// TOKENS_FILE). What the target may not do is crash, hang or trip a sanitizer. Files in
// FOUND_FOLDER/once are only run: each takes long, as what is refused late does.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxInputBytes = 1 << 16;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::vector<std::string> found,
          std::vector<std::string> tokens)
      : corpus_(std::move(corpus)), found_(std::move(found)), tokens_(std::move(tokens)) {}

  std::string Next() {
    std::string input = PickSeed();
    const size_t changes = 1 + Below(4);
    // Where sizes stand before what they measure, only changes in place get far.
    const bool in_place = Below(2) == 0;
    for (size_t i = 0; i < changes; ++i) in_place ? Overwrite(input) : Change(input);
    if (input.size() > kMaxInputBytes) input.resize(kMaxInputBytes);
    return input;
  }

 private:
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }
  const std::string& PickSeed() { return Pick(Below(2) == 0 ? corpus_ : found_); }

  // One byte becomes a neighbour of its value or any other.
  void Overwrite(std::string& input) {
    if (input.empty()) return;
    char& byte = input[Below(input.size())];
    byte = static_cast<char>(Below(2) == 0 ? byte + Below(9) - 4 : Below(256));
  }

  void Change(std::string& input) {
    const size_t at = Below(input.size() + 1);
    switch (Below(6)) {
      case 0:  // truncate
        input.resize(at);
        break;
      case 1:  // flip a bit
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
        break;
      case 2: {  // splice a piece of another seed
        const std::string& other = PickSeed();
        const size_t begin = Below(other.size() + 1);
        input.insert(at, other, begin, Below(200));
        break;
      }
      case 3:  // drop a piece
        input.erase(at, Below(64));
        break;
      case 4: {  // repeat a piece of itself
        const std::string piece = input.substr(at, Below(64));
        for (size_t i = Below(20); i > 0; --i) input.insert(at, piece);
        break;
      }
      default:
        if (!tokens_.empty()) input.insert(at, Pick(tokens_));
        break;
    }
  }

  std::vector<std::string> corpus_, found_;
  std::vector<std::string> tokens_;
  std::mt19937 random_{20240611};
};

// In the same order, and so with the same mutations, everywhere.
std::vector<std::string> ReadFolder(const fs::path& folder) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(folder)) return {};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const fs::path& path : paths) contents.push_back(ReadFile(path));
  return contents;
}

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER FOUND_FOLDER MUTATIONS [TOKENS_FILE]\n";
    return 2;
  }
  std::vector<std::string> corpus = ReadFolder(argv[1]), found = ReadFolder(argv[2]);
  if (corpus.empty() || found.empty()) {
    std::cerr << argv[1] << " or " << argv[2] << " holds no inputs\n";
    return 2;
  }
  std::vector<std::string> tokens;
  if (argc == 5) {
    std::ifstream file(argv[4]);
    for (std::string line; std::getline(file, line);) tokens.push_back(line);
  }
  for (const std::string& input : corpus) Run(input);
  for (const std::string& input : found) Run(input);
  const std::vector<std::string> once = ReadFolder(fs::path(argv[2]) / "once");
  for (const std::string& input : once) Run(input);
  const size_t files = corpus.size() + found.size() + once.size();
  const long mutations = std::strtol(argv[3], nullptr, 10);
  Mutator mutator(std::move(corpus), std::move(found), std::move(tokens));
  for (long i = 0; i < mutations; ++i) Run(mutator.Next());
  std::cout << files << " files and " << mutations << " mutations survived\n";
  return 0;
}
