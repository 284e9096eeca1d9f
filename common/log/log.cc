#include "common/log/log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "common/log/log_file.h"
#include "spdlog/sinks/stdout_color_sinks.h"
#include "spdlog/spdlog.h"

namespace acceld {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

struct Logger {
  Logger() : logger("acceld", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()) {
    logger.set_pattern(kTextPattern);
  }

  static constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%e %^%L%$ %t %v";
  static constexpr char kJsonPattern[] = "%v";  // JsonLine makes the whole line.

  spdlog::logger logger;
  std::atomic<LogFormat> format{LogFormat::kText};
  std::unique_ptr<LogFile> file;  // Set before other threads log.
  LogHistory trouble;
};

Logger& TheLogger() {
  // Never destroyed: threads may log while the process ends.
  static Logger& logger = *new Logger;
  return logger;
}

void Write(LogLevel level, absl::string_view line) {
  TheLogger().logger.log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
  if (TheLogger().file != nullptr) TheLogger().file->RotateIfFull();
}

void LogFields(LogLevel level, absl::string_view message, absl::Span<const LogField> fields) {
  const auto now = std::chrono::system_clock::now();
  if (level >= LogLevel::kWarning) TheLogger().trouble.Add(now, level, message);
  switch (TheLogger().format.load(std::memory_order_relaxed)) {
    case LogFormat::kText:
      return Write(level, fields.empty() ? message : TextOfEvent(message, fields));
    case LogFormat::kJson:
      return Write(
          level, JsonLine(now, level, static_cast<uint64_t>(syscall(SYS_gettid)), message, fields));
  }
}

}  // namespace

absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  return absl::InvalidArgumentError(
      absl::StrCat("log level '", text, "' is not debug, info, warning or error"));
}

absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return absl::InvalidArgumentError(absl::StrCat("log format '", text, "' is not text or json"));
}

void SetLogLevel(LogLevel level) { TheLogger().logger.set_level(ToSpdlog(level)); }

void SetLogFormat(LogFormat format) {
  TheLogger().format.store(format, std::memory_order_relaxed);
  TheLogger().logger.set_pattern(format == LogFormat::kText ? Logger::kTextPattern
                                                            : Logger::kJsonPattern);
}

absl::Status SetLogFile(const std::string& path, int64_t max_bytes) {
  ACCELD_ASSIGN_OR_RETURN(TheLogger().file, LogFile::Open(path, max_bytes));
  return absl::OkStatus();
}

bool LogEnabled(LogLevel level) { return TheLogger().logger.should_log(ToSpdlog(level)); }

void Log(LogLevel level, absl::string_view message) {
  if (LogEnabled(level)) LogFields(level, message, {});
}

void LogEvent(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields) {
  if (LogEnabled(level)) LogFields(level, event, fields);
}

std::vector<LogEntry> RecentWarnings() { return TheLogger().trouble.Read(); }

}  // namespace acceld
