#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

// How the protocol's benchmark measures and prints.
namespace acceld::bench {

using Clock = std::chrono::steady_clock;

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Durations in seconds. Quantile and Median need at least one of them.
class Samples {
 public:
  void Reserve(size_t count) { seconds_.reserve(count); }
  void Add(double seconds) { seconds_.push_back(seconds); }
  size_t size() const { return seconds_.size(); }
  // Returns the value below which the fraction `q` of the durations lies. Sorts them.
  double Quantile(double q);
  double Median() { return Quantile(0.5); }

 private:
  std::vector<double> seconds_;
};

void Heading(const char* text);
// Prints the median and the 99 % quantile and, unless it is 0, the ratio to `reference_s`.
void PrintLatency(const char* what, Samples& samples, double reference_s);
// Prints the median time for `bytes` and the speed; unless `reference_s` is 0, also the speed as a
// percentage of that of the reference.
void PrintBulk(const char* what, size_t bytes, Samples& samples, double reference_s);
void PrintRate(const char* what, double per_second);

}  // namespace acceld::bench
