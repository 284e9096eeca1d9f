#pragma once

#include <chrono>
#include <cstdint>
#include <string>

// Numbers as people read them.
namespace acceld::observability {

// "1,234,567".
std::string CountText(uint64_t count);
// The same below a million, else three digits: "1.23 M", "45.6 G".
std::string ShortCountText(uint64_t count);
// Three digits at most, but for bytes: "0 B", "1023 B", "1.5 KiB", "12.3 GiB", "640 MiB".
std::string BytesText(uint64_t bytes);
// The two largest units: "0 s", "59 s", "2 min 5 s", "3 h 0 min", "12 d 4 h".
std::string DurationText(double seconds);
// A short time: "0 ns", "870 ns", "12.3 us", "4.56 ms", "1.20 s"; three digits.
std::string LatencyText(double seconds);
// "37 %"; "0 %" and "100 %" only when it is none or all of it, and of nothing "-".
std::string PercentText(uint64_t part, uint64_t whole);
// From 0 to 100, for drawing; more than all is 100.
int Percent(uint64_t part, uint64_t whole);
// "2026-11-22T05:28:44Z".
std::string TimeText(std::chrono::system_clock::time_point time);
// "2026-11-22 05:28:44 UTC".
std::string ReadableTime(std::chrono::system_clock::time_point time);

}  // namespace acceld::observability
