// Own routines beside those of libraries, on 1 and 2 threads: convolutions and small products
// beside oneDNN's, the Cholesky factorization beside OpenBLAS', Fourier transforms beside FFTW's.
// FFTW is measured where Debian's libfftw3-single3 is installed. docs/dependencies.md quotes the
// figures.
//
//   library_bench [google-benchmark flags]      for instance --benchmark_filter=Convolution

#include <dlfcn.h>
#include <omp.h>

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "common/ir/text.h"
#include "tests/bench/host_program.h"

extern "C" void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);

namespace acceld {
namespace {

using dnnl::memory;

// Runs @main of a module. `prepare` may change the arguments.
template <typename Prepare>
void RunOwn(benchmark::State& state, const std::string& text, const Prepare& prepare) {
  omp_set_num_threads(1);
  const auto module = ir::ParseModule(text);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const auto executable = bench::CompileProgram(*module);
  if (!executable.ok()) return state.SkipWithError(executable.status().ToString().c_str());
  const auto program = bench::HostProgram::Load(*executable);
  if (!program.ok()) return state.SkipWithError(program.status().ToString().c_str());
  prepare(**program);
  for (auto _ : state) {
    if (!(*program)->Run(static_cast<int>(state.range(0))).ok()) {
      return state.SkipWithError("run failed");
    }
  }
}

void RunOwn(benchmark::State& state, const std::string& text) {
  RunOwn(state, text, [](bench::HostProgram& /*program*/) {});
}

// Runs a primitive of oneDNN. Its operands have the layouts that its description asks for.
void RunPrimitive(benchmark::State& state, const dnnl::engine& engine,
                  const dnnl::primitive& primitive, const memory::desc& lhs,
                  const memory::desc& rhs, const memory::desc& out) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  dnnl::stream stream(engine);
  const int inputs[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
  std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, memory(lhs, engine)},
                                               {DNNL_ARG_WEIGHTS, memory(rhs, engine)},
                                               {DNNL_ARG_DST, memory(out, engine)}};
  for (const int input : inputs) {
    const memory& operand = arguments.at(input);
    auto* const values = static_cast<float*>(operand.get_data_handle());
    const size_t count = operand.get_desc().get_size() / sizeof(float);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) / 16 - 0.5F;
  }
  for (auto _ : state) {
    primitive.execute(stream, arguments);
    stream.wait();
  }
}

// A convolution with a square input and window and padding that keeps the size at stride 1.
struct ConvolutionCase {
  const char* name;
  int64_t batch, size, features, outputs, window, stride;

  int64_t padding() const { return window / 2; }
  int64_t out_size() const { return (size + 2 * padding() - window) / stride + 1; }
};

constexpr ConvolutionCase kConvolutions[] = {
    {"stem_224x3_to_64_by_7", 4, 224, 3, 64, 7, 2}, {"56x64_to_64_by_3", 4, 56, 64, 64, 3, 1},
    {"56x64_to_256_by_1", 4, 56, 64, 256, 1, 1},    {"28x128_to_128_by_3", 4, 28, 128, 128, 3, 1},
    {"14x256_to_256_by_3", 4, 14, 256, 256, 3, 1},  {"7x512_to_512_by_3", 4, 7, 512, 512, 3, 1},
};

void OwnConvolution(benchmark::State& state, const ConvolutionCase& c) {
  const std::string types =
      absl::StrCat("(tensor<", c.batch, "x", c.size, "x", c.size, "x", c.features, "xf32>, tensor<",
                   c.window, "x", c.window, "x", c.features, "x", c.outputs, "xf32>)");
  const std::string result = absl::StrCat("tensor<", c.batch, "x", c.out_size(), "x", c.out_size(),
                                          "x", c.outputs, "xf32>");
  const size_t comma = types.find(", ");
  const std::string pads = absl::StrCat("[", c.padding(), ", ", c.padding(), "]");
  RunOwn(state,
         absl::StrCat("func.func @main(%x: ", types.substr(1, comma - 1),
                      ", %k: ", types.substr(comma + 2, types.size() - comma - 3), ") -> ", result,
                      " {\n  %y = stablehlo.convolution(%x, %k) dim_numbers = "
                      "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [",
                      c.stride, ", ", c.stride, "], pad = [", pads, ", ", pads,
                      "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ", types,
                      " -> ", result, "\n  return %y : ", result, "\n}\n"));
}

void LibraryConvolution(benchmark::State& state, const ConvolutionCase& c) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  omp_set_num_threads(static_cast<int>(state.range(0)));
  using Tag = memory::format_tag;
  constexpr auto kF32 = memory::data_type::f32;
  const memory::desc lhs({c.batch, c.features, c.size, c.size}, kF32, Tag::nhwc);
  const memory::desc out({c.batch, c.outputs, c.out_size(), c.out_size()}, kF32, Tag::nhwc);
  // The library's own choice, so that it need not convert the kernel.
  const memory::desc rhs({c.outputs, c.features, c.window, c.window}, kF32, Tag::any);
  const dnnl::convolution_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                        dnnl::algorithm::convolution_auto,
                                                        lhs,
                                                        rhs,
                                                        out,
                                                        {c.stride, c.stride},
                                                        {c.padding(), c.padding()},
                                                        {c.padding(), c.padding()}},
                                                       engine);
  RunPrimitive(state, engine, dnnl::convolution_forward(desc), desc.src_desc(), desc.weights_desc(),
               desc.dst_desc());
}

void OwnMatmul(benchmark::State& state, int64_t rows, int64_t depth, int64_t columns) {
  const std::string lhs = absl::StrCat("tensor<", rows, "x", depth, "xf32>");
  const std::string rhs = absl::StrCat("tensor<", depth, "x", columns, "xf32>");
  const std::string out = absl::StrCat("tensor<", rows, "x", columns, "xf32>");
  RunOwn(state, absl::StrCat("func.func @main(%x: ", lhs, ", %y: ", rhs, ") -> ", out,
                             " {\n  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]"
                             " : (",
                             lhs, ", ", rhs, ") -> ", out, "\n  return %z : ", out, "\n}\n"));
}

void LibraryMatmul(benchmark::State& state, int64_t rows, int64_t depth, int64_t columns) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  omp_set_num_threads(static_cast<int>(state.range(0)));
  using Tag = memory::format_tag;
  constexpr auto kF32 = memory::data_type::f32;
  const memory::desc lhs({rows, depth}, kF32, Tag::ab), rhs({depth, columns}, kF32, Tag::ab);
  const memory::desc out({rows, columns}, kF32, Tag::ab);
  const dnnl::matmul::primitive_desc desc({lhs, rhs, out}, engine);
  RunPrimitive(state, engine, dnnl::matmul(desc), lhs, rhs, out);
}

// A symmetric matrix whose diagonal is so large that it is positive definite.
void FillPositiveDefinite(float* matrix, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      matrix[i * n + j] =
          static_cast<float>((i + j) % 7) / 7 + (i == j ? static_cast<float>(n) : 0);
    }
  }
}

void OwnCholesky(benchmark::State& state, int64_t n) {
  const std::string type = absl::StrCat("tensor<", n, "x", n, "xf32>");
  RunOwn(state,
         absl::StrCat("func.func @main(%x: ", type, ") -> ", type,
                      " {\n  %y = stablehlo.cholesky %x, lower = true : ", type,
                      "\n  return %y : ", type, "\n}\n"),
         [n](bench::HostProgram& program) {
           FillPositiveDefinite(reinterpret_cast<float*>(program.argument(0)), n);
         });
}

void LibraryCholesky(benchmark::State& state, int64_t n) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  std::vector<float> matrix(static_cast<size_t>(n * n)), work(matrix.size());
  FillPositiveDefinite(matrix.data(), n);
  const int size = static_cast<int>(n);
  for (auto _ : state) {
    // The copy is a part of the call: an operand may not be overwritten.
    std::memcpy(work.data(), matrix.data(), matrix.size() * sizeof(float));
    int info = 0;
    spotrf_("U", &size, work.data(), &size, &info);
    if (info != 0) return state.SkipWithError("spotrf failed");
  }
}

// The functions of FFTW (single precision) that are used here, loaded when the program runs: the
// licence of FFTW is not that of this project.
struct Fftw {
  using Plan = void*;
  Plan (*plan)(int n, void* in, void* out, int sign, unsigned flags) = nullptr;
  void (*execute)(Plan plan) = nullptr;
  void (*destroy)(Plan plan) = nullptr;
  void (*set_threads)(int threads) = nullptr;

  static const Fftw& Get() {
    static const Fftw fftw = [] {
      Fftw loaded;
      void* const library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_GLOBAL);
      void* const threads = dlopen("libfftw3f_omp.so.3", RTLD_NOW);
      if (library == nullptr || threads == nullptr) return loaded;
      const auto set = [](auto& function, void* from, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(from, name));
      };
      int (*init_threads)() = nullptr;
      set(init_threads, threads, "fftwf_init_threads");
      set(loaded.set_threads, threads, "fftwf_plan_with_nthreads");
      set(loaded.execute, library, "fftwf_execute");
      set(loaded.destroy, library, "fftwf_destroy_plan");
      if (init_threads != nullptr && init_threads() != 0) {
        set(loaded.plan, library, "fftwf_plan_dft_1d");
      }
      return loaded;
    }();
    return fftw;
  }
};

void OwnFft(benchmark::State& state, int64_t n) {
  const std::string type = absl::StrCat("tensor<", n, "xcomplex<f32>>");
  RunOwn(state, absl::StrCat("func.func @main(%x: ", type, ") -> ", type,
                             " {\n  %y = stablehlo.fft %x, type = FFT, length = [", n, "] : (",
                             type, ") -> ", type, "\n  return %y : ", type, "\n}\n"));
}

// `flags`: FFTW_MEASURE (0), which takes seconds to plan, or FFTW_ESTIMATE (64).
void LibraryFft(benchmark::State& state, int64_t n, unsigned flags) {
  const Fftw& fftw = Fftw::Get();
  if (fftw.plan == nullptr) return state.SkipWithError("libfftw3-single3 is not installed");
  omp_set_num_threads(static_cast<int>(state.range(0)));
  fftw.set_threads(static_cast<int>(state.range(0)));
  std::vector<float> in(static_cast<size_t>(2 * n)), out(in.size());
  const Fftw::Plan plan = fftw.plan(static_cast<int>(n), in.data(), out.data(), -1, flags);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 17) / 16 - 0.5F;
  for (auto _ : state) fftw.execute(plan);
  fftw.destroy(plan);
}

template <typename Function>
void Register(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

void RegisterAll() {
  for (const ConvolutionCase& c : kConvolutions) {
    const std::string name = absl::StrCat("Convolution/", c.name);
    Register(name + "/own", [c](benchmark::State& state) { OwnConvolution(state, c); });
    Register(name + "/oneDNN", [c](benchmark::State& state) { LibraryConvolution(state, c); });
  }
  for (const auto& [rows, depth, columns] : {std::tuple<int64_t, int64_t, int64_t>{8, 8, 8},
                                             {16, 16, 16},
                                             {32, 32, 32},
                                             {64, 64, 64},
                                             {128, 784, 10},
                                             {10, 128, 784}}) {
    const std::string name = absl::StrCat("Product/", rows, "x", depth, "x", columns);
    Register(name + "/own", [r = rows, d = depth, c = columns](benchmark::State& state) {
      OwnMatmul(state, r, d, c);
    });
    Register(name + "/oneDNN", [r = rows, d = depth, c = columns](benchmark::State& state) {
      LibraryMatmul(state, r, d, c);
    });
  }
  for (const int64_t n : {32, 128, 512, 1024}) {
    const std::string name = absl::StrCat("Cholesky/", n);
    Register(name + "/own", [n](benchmark::State& state) { OwnCholesky(state, n); });
    Register(name + "/OpenBLAS", [n](benchmark::State& state) { LibraryCholesky(state, n); });
  }
  for (const int64_t n : {1000, 1024, 65536, 1'000'000, 1 << 20}) {
    const std::string name = absl::StrCat("Fourier/", n);
    Register(name + "/own", [n](benchmark::State& state) { OwnFft(state, n); });
    Register(name + "/FFTW_ESTIMATE", [n](benchmark::State& state) { LibraryFft(state, n, 64); });
    Register(name + "/FFTW_MEASURE", [n](benchmark::State& state) { LibraryFft(state, n, 0); });
  }
}

}  // namespace
}  // namespace acceld

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  acceld::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
}
