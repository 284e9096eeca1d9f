#include "tests/bench/protocol/report.h"

#include <algorithm>
#include <cstdio>

namespace acceld::bench {

double Samples::Quantile(double q) {
  std::sort(seconds_.begin(), seconds_.end());
  return seconds_[static_cast<size_t>(q * static_cast<double>(seconds_.size() - 1))];
}

void Heading(const char* text) { std::printf("\n%s\n", text); }

void PrintLatency(const char* what, Samples& samples, double reference_s) {
  std::printf("  %-52s %9.2f us  p99 %9.2f us", what, samples.Median() * 1e6,
              samples.Quantile(0.99) * 1e6);
  if (reference_s > 0) std::printf("   x %.2f", samples.Median() / reference_s);
  std::printf("\n");
}

void PrintBulk(const char* what, size_t bytes, Samples& samples, double reference_s) {
  std::printf("  %-52s %9.2f ms  %6.2f GB/s", what, samples.Median() * 1e3,
              static_cast<double>(bytes) / samples.Median() / 1e9);
  if (reference_s > 0) std::printf("   %3.0f %%", 100 * reference_s / samples.Median());
  std::printf("\n");
}

void PrintRate(const char* what, double per_second) {
  std::printf("  %-52s %9.0f /s\n", what, per_second);
}

}  // namespace acceld::bench
