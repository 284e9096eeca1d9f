#pragma once

#include <chrono>
#include <cstdint>
#include <string>

// Formats numbers for people.
namespace acceld::observability {

// Formats a count as "1,234,567".
std::string CountText(uint64_t count);
// The same below a million, otherwise three digits: "1.23 M", "45.6 G".
std::string ShortCountText(uint64_t count);
// Formats a number per second with three digits: "0 /s", "0.1 /s", "12.3 /s", "1,234 /s", "1.23
// M/s".
std::string RateText(double per_second);
// Formats with at most three digits, except bytes: "0 B", "1023 B", "1.5 KiB", "12.3 GiB", "640
// MiB".
std::string BytesText(uint64_t bytes);
// Formats with the two largest units: "0 s", "59 s", "2 min 5 s", "3 h 0 min", "12 d 4 h".
std::string DurationText(double seconds);
// Formats a short duration with three digits: "0 ns", "870 ns", "12.3 us", "4.56 ms", "1.20 s".
std::string LatencyText(double seconds);
// Returns a percentage as "37 %". "0 %" and "100 %" stand for exactly none and all; "-" is returned
// if `whole` is 0.
std::string PercentText(uint64_t part, uint64_t whole);
// Returns a percentage from 0 to 100, for drawing.
int Percent(uint64_t part, uint64_t whole);
// Formats as "2026-11-22T05:28:44Z".
std::string TimeText(std::chrono::system_clock::time_point time);
// Formats as "2026-11-22 05:28:44 UTC".
std::string ReadableTime(std::chrono::system_clock::time_point time);

}  // namespace acceld::observability
