// Runs the functions of the table, transformed in seven ways, on a daemon. run_table.py writes the
// arguments and compares the results with those of JAX.
//
//   tracing_table ADDRESS FOLDER
//
// For each row NAME it reads FOLDER/NAME/x0.npy and so on: arguments x, tangents dx of those that
// have some, cotangents ct of results that have some, and batches bx and bct. It writes
// TRANSFORMATION.N.npy for result N of each, or TRANSFORMATION.error. A row without a folder is
// left out. Which transformations a row has says the file `transformations`.
//
// A folder with a file `program` is a composition of rows: each line has the name of a row with one
// result and the numbers of the values that it takes; values are the arguments, then the results of
// the lines. The composition's results are the last two values.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/npy.h"
#include "common/ir/transform/differentiate.h"
#include "tests/jax/tracing/table.h"

namespace acceld::client::table {
namespace {

namespace fs = std::filesystem;

// A transformed row: its arguments are those of the kinds named, one after the other.
struct Transformation {
  std::vector<std::string> kinds;
  std::function<Tensors(const Row& row, const std::vector<Tensors>& arguments)> apply;
};

bool HasTangents(const Tensor& tensor) { return ir::HasTangents(tensor.type()); }

// All of `like`, of which `given` has those with tangents; zeros for the others.
Tensors Spread(const Tensors& like, const Tensors& given) {
  Tensors all;
  size_t next = 0;
  for (const Tensor& tensor : like) {
    all.push_back(HasTangents(tensor) ? given.at(next++) : ZerosLike(tensor));
  }
  return all;
}
Tensors WithTangents(const Tensors& tensors, const Tensors& like) {
  Tensors chosen;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (HasTangents(like[i])) chosen.push_back(tensors[i]);
  }
  return chosen;
}

template <typename F>
Tensors JvpOf(const F& f, const Tensors& x, const Tensors& dx) {
  const auto [values, tangents] = Jvp(f, x, Spread(x, dx));
  return WithTangents(tangents, values);
}
template <typename F>
Tensors VjpOf(const F& f, const Tensors& x, const Tensors& ct) {
  const auto [values, pull_back] = Vjp(f, x);
  return WithTangents(pull_back(Spread(values, ct)), x);
}

const std::map<std::string, Transformation>& Transformations() {
  static const auto* const kAll = new std::map<std::string, Transformation>{
      {"value", {{"x"}, [](const Row& r, const auto& a) { return r.function(a[0]); }}},
      {"jvp",
       {{"x", "dx"}, [](const Row& r, const auto& a) { return JvpOf(r.function, a[0], a[1]); }}},
      {"vjp",
       {{"x", "ct"}, [](const Row& r, const auto& a) { return VjpOf(r.function, a[0], a[1]); }}},
      {"vmap", {{"bx"}, [](const Row& r, const auto& a) { return Vmap(r.function)(a[0]); }}},
      {"vjp_of_vmap",
       {{"bx", "bct"},
        [](const Row& r, const auto& a) { return VjpOf(Vmap(r.function), a[0], a[1]); }}},
      {"vmap_of_vjp",
       {{"bx", "bct"},
        [](const Row& r, const auto& a) {
          return Vmap([&](const Tensors& x, const Tensors& ct) {
            return VjpOf(r.function, x, ct);
          })(a[0], a[1]);
        }}},
      {"second",
       {{"x", "dx", "ct"},
        [](const Row& r, const auto& a) {
          const auto gradient = [&](const Tensors& x) { return VjpOf(r.function, x, a[2]); };
          return JvpOf(gradient, a[0], a[1]);
        }}},
  };
  return *kAll;
}

// Reads the file `program` of a folder.
absl::StatusOr<Row> ReadComposition(const fs::path& folder,
                                    const std::map<std::string, Row>& rows) {
  struct Step {
    const Row* row;
    std::vector<size_t> values;
  };
  std::vector<Step> steps;
  std::ifstream file(folder / "program");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const auto found = rows.find(name);
    if (found == rows.end()) return absl::NotFoundError(absl::StrCat("no row ", name));
    Step& step = steps.emplace_back(Step{&found->second, {}});
    for (size_t value = 0; words >> value;) step.values.push_back(value);
  }
  return Row{folder.filename(), [steps](const Tensors& x) {
               Tensors values = x;
               for (const Step& step : steps) {
                 Tensors arguments;
                 for (const size_t value : step.values) arguments.push_back(values.at(value));
                 values.push_back(step.row->function(arguments).at(0));
               }
               return Tensors(values.end() - 2, values.end());
             }};
}

absl::StatusOr<std::vector<Array>> Read(Client& client, const fs::path& folder,
                                        const std::string& kind) {
  std::vector<Array> arrays;
  for (int i = 0;; ++i) {
    const fs::path file = folder / absl::StrCat(kind, i, ".npy");
    if (!fs::exists(file)) return arrays;
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal literal, ReadNpy(file));
    ACCELD_ASSIGN_OR_RETURN(arrays.emplace_back(), client.Upload(literal));
  }
}

absl::Status RunOne(const std::shared_ptr<Client>& client, const Row& row, const std::string& name,
                    const Transformation& transformation, const fs::path& folder) {
  std::vector<std::vector<Array>> arguments;
  for (const std::string& kind : transformation.kinds) {
    ACCELD_ASSIGN_OR_RETURN(arguments.emplace_back(), Read(*client, folder, kind));
  }
  const auto f =
      Jit(client, [&](const std::vector<Tensors>& a) { return transformation.apply(row, a); },
          {.name = absl::StrCat(row.name, "_", name)});
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> results, f(arguments));
  for (size_t i = 0; i < results.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, results[i].Fetch());
    ACCELD_RETURN_IF_ERROR(WriteNpy(folder / absl::StrCat(name, ".", i, ".npy"), value));
  }
  return absl::OkStatus();
}

int Main(const std::string& address, const fs::path& root) {
  const absl::StatusOr<std::shared_ptr<Client>> client = Client::Connect({.address = address});
  if (!client.ok()) {
    std::cerr << client.status() << "\n";
    return 1;
  }
  std::map<std::string, Row> rows;
  std::ofstream names(root / "rows");
  for (const auto& some :
       {ElementwiseRows(), StructureRows(), NetworkRows(), ControlRows(), AlgebraRows()}) {
    for (const Row& row : some) {
      names << row.name << "\n";
      if (!rows.emplace(row.name, row).second) {
        std::cerr << "two rows are named " << row.name << "\n";
        return 1;
      }
    }
  }
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    const fs::path& folder = entry.path();
    absl::StatusOr<Row> row = absl::NotFoundError("there is no such row");
    if (fs::exists(folder / "program")) {
      row = ReadComposition(folder, rows);
    } else if (const auto found = rows.find(folder.filename()); found != rows.end()) {
      row = found->second;
    }
    std::ifstream list(folder / "transformations");
    for (std::string name; list >> name;) {
      const absl::Status status =
          row.ok() ? RunOne(*client, *row, name, Transformations().at(name), folder) : row.status();
      if (!status.ok()) std::ofstream(folder / (name + ".error")) << status;
    }
  }
  return 0;
}

}  // namespace
}  // namespace acceld::client::table

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: tracing_table ADDRESS FOLDER\n";
    return 2;
  }
  return acceld::client::table::Main(argv[1], argv[2]);
}
