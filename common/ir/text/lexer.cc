#include "common/ir/text/lexer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

bool StartsWord(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool InWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.'; }
// Names after % # ! ^ @ may also contain '-', but not as the start of "->".
bool InSuffix(char c) { return InWord(c) || c == '-'; }

std::string Describe(const Token& token) {
  constexpr size_t kShown = 40;
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  if (token.kind == TokenKind::kInvalid) {
    if (token.text[0] == '"' || token.text[0] == '@') return "an unterminated string";
    return absl::StrCat("the byte 0x", absl::Hex(static_cast<unsigned char>(token.text[0])));
  }
  if (token.text.size() > kShown) return absl::StrCat("'", token.text.substr(0, kShown), "...'");
  return absl::StrCat("'", token.text, "'");
}

}  // namespace

Lexer::Lexer(absl::string_view source, absl::string_view file_name)
    : source_(source), file_name_(file_name) {
  Lex();
}

void Lexer::SkipBlanks() {
  while (next_ < source_.size()) {
    const char c = source_[next_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++next_;
    } else if (c == '/' && next_ + 1 < source_.size() && source_[next_ + 1] == '/') {
      const size_t end = source_.find('\n', next_);
      next_ = end == absl::string_view::npos ? source_.size() : end;
    } else {
      return;
    }
  }
}

void Lexer::Lex() {
  SkipBlanks();
  const size_t begin = next_;
  const size_t size = source_.size();
  const auto at = [&](size_t i) { return i < size ? source_[i] : '\0'; };
  const auto finish = [&](TokenKind kind, size_t end) {
    next_ = end;
    token_ = {kind, source_.substr(begin, end - begin), begin};
  };
  const auto quoted_end = [&](size_t open) {  // npos when there is no closing quote on the line
    for (size_t i = open + 1; i < size; ++i) {
      if (source_[i] == '"') return i + 1;
      if (source_[i] == '\n') break;
      if (source_[i] == '\\') ++i;
    }
    return absl::string_view::npos;
  };
  if (begin == size) return finish(TokenKind::kEnd, begin);

  const char c = source_[begin];
  size_t end = begin + 1;
  if (StartsWord(c)) {
    while (InWord(at(end))) ++end;
    return finish(TokenKind::kWord, end);
  }
  if (absl::ascii_isdigit(c)) {
    if (c == '0' && at(end) == 'x' && absl::ascii_isxdigit(at(end + 1))) {
      ++end;
      while (absl::ascii_isxdigit(at(end))) ++end;
      return finish(TokenKind::kInteger, end);
    }
    while (absl::ascii_isdigit(at(end))) ++end;
    if (at(end) != '.') return finish(TokenKind::kInteger, end);
    ++end;
    while (absl::ascii_isdigit(at(end))) ++end;
    if (at(end) == 'e' || at(end) == 'E') {
      size_t exponent = end + 1;
      if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
      if (absl::ascii_isdigit(at(exponent))) {
        end = exponent;
        while (absl::ascii_isdigit(at(end))) ++end;
      }
    }
    return finish(TokenKind::kFloat, end);
  }
  if (c == '"') {
    end = quoted_end(begin);
    if (end == absl::string_view::npos) return finish(TokenKind::kInvalid, begin + 1);
    return finish(TokenKind::kString, end);
  }
  if (c == '-' && at(end) == '>') return finish(TokenKind::kArrow, end + 1);
  if (c == '@' && at(end) == '"') {
    end = quoted_end(end);
    if (end == absl::string_view::npos) return finish(TokenKind::kInvalid, begin + 1);
    return finish(TokenKind::kSymbol, end);
  }
  if (c == '%' || c == '@' || c == '#' || c == '!' || c == '^') {
    while (InSuffix(at(end)) && !(at(end) == '-' && at(end + 1) == '>')) ++end;
    if (end == begin + 1) return finish(TokenKind::kPunctuation, end);
    switch (c) {
      case '%':
        return finish(TokenKind::kValue, end);
      case '@':
        return finish(TokenKind::kSymbol, end);
      case '#':
        return finish(TokenKind::kHash, end);
      case '!':
        return finish(TokenKind::kBang, end);
      default:
        return finish(TokenKind::kBlock, end);
    }
  }
  finish(absl::ascii_ispunct(c) ? TokenKind::kPunctuation : TokenKind::kInvalid, end);
}

Token Lexer::Next() {
  const Token token = token_;
  Lex();
  return token;
}

bool Lexer::TryPunctuation(char c) {
  if (!token_.Is(c)) return false;
  Lex();
  return true;
}

bool Lexer::TryWord(absl::string_view word) {
  if (!token_.IsWord(word)) return false;
  Lex();
  return true;
}

bool Lexer::TryArrow() {
  if (token_.kind != TokenKind::kArrow) return false;
  Lex();
  return true;
}

absl::Status Lexer::Expect(char punctuation) {
  if (TryPunctuation(punctuation)) return absl::OkStatus();
  return Expected(absl::StrCat("'", std::string(1, punctuation), "'"));
}

absl::Status Lexer::ExpectWord(absl::string_view word) {
  if (TryWord(word)) return absl::OkStatus();
  return Expected(absl::StrCat("'", word, "'"));
}

absl::Status Lexer::ExpectArrow() {
  if (TryArrow()) return absl::OkStatus();
  return Expected("'->'");
}

absl::StatusOr<Token> Lexer::ExpectKind(TokenKind kind, absl::string_view what) {
  if (token_.kind != kind) return Expected(what);
  return Next();
}

absl::StatusOr<int64_t> Lexer::ExpectInteger() {
  const size_t begin = token_.offset;
  const bool negative = TryPunctuation('-');
  if (token_.kind != TokenKind::kInteger) return Expected("an integer");
  const Token digits = Next();
  int64_t value = 0;
  if (!absl::SimpleAtoi(absl::StrCat(negative ? "-" : "", digits.text), &value)) {
    return Error(begin, absl::StrCat("expected a 64-bit integer, found ", Describe(digits)));
  }
  return value;
}

void Lexer::Seek(size_t offset) {
  next_ = offset;
  Lex();
}

absl::StatusOr<absl::string_view> Lexer::SkipBalanced() {
  const auto closer_of = [](const Token& token) {
    if (token.kind != TokenKind::kPunctuation) return '\0';
    switch (token.text[0]) {
      case '<':
        return '>';
      case '(':
        return ')';
      case '[':
        return ']';
      case '{':
        return '}';
      default:
        return '\0';
    }
  };
  const auto closes = [](const Token& token) {
    return token.Is('>') || token.Is(')') || token.Is(']') || token.Is('}');
  };
  const size_t begin = token_.offset;
  if (closer_of(token_) == '\0') return Expected("an opening bracket");
  std::vector<char> open;
  while (true) {
    if (const char closer = closer_of(token_); closer != '\0') {
      if (open.size() >= limits::kMaxDepth) {
        return Error(token_.offset, absl::StrCat("brackets nest deeper than ", limits::kMaxDepth));
      }
      open.push_back(closer);
    } else if (closes(token_) || token_.kind == TokenKind::kEnd ||
               token_.kind == TokenKind::kInvalid) {
      if (!token_.Is(open.back())) {
        return Expected(absl::StrCat("'", std::string(1, open.back()), "'"));
      }
      open.pop_back();
    }
    const size_t end = token_.offset + token_.text.size();
    Lex();
    if (open.empty()) return source_.substr(begin, end - begin);
  }
}

Location Lexer::LocationOf(size_t offset) const {
  offset = std::min(offset, source_.size());
  if (offset < scanned_) {
    scanned_ = 0;
    line_begin_ = 0;
    line_ = 1;
  }
  while (scanned_ < offset) {
    const void* newline = std::memchr(source_.data() + scanned_, '\n', offset - scanned_);
    if (newline == nullptr) {
      scanned_ = offset;
      break;
    }
    scanned_ = static_cast<size_t>(static_cast<const char*>(newline) - source_.data()) + 1;
    line_begin_ = scanned_;
    ++line_;
  }
  const size_t column = offset - line_begin_ + 1;
  return {line_, static_cast<uint32_t>(column)};
}

std::string Lexer::Prefix(size_t offset) const {
  const Location location = LocationOf(offset);
  return absl::StrCat(file_name_, ":", location.line, ":", location.column, ": ");
}

absl::Status Lexer::Error(size_t offset, absl::string_view message) const {
  return absl::InvalidArgumentError(absl::StrCat(Prefix(offset), message));
}

absl::Status Lexer::Unsupported(size_t offset, absl::string_view message) const {
  return absl::UnimplementedError(absl::StrCat(Prefix(offset), message));
}

absl::Status Lexer::Expected(absl::string_view what) const {
  return Error(token_.offset, absl::StrCat("expected ", what, ", found ", Describe(token_)));
}

absl::Status Lexer::At(size_t offset, const absl::Status& status) const {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(Prefix(offset), status.message()));
}

std::string Unquote(absl::string_view quoted) {
  std::string result;
  const absl::string_view inner = quoted.substr(1, quoted.size() - 2);
  const auto hex = [](char c) {
    return absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10;
  };
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      result.push_back(inner[i]);
      continue;
    }
    const char c = inner[++i];
    if (absl::ascii_isxdigit(c) && i + 1 < inner.size() && absl::ascii_isxdigit(inner[i + 1])) {
      result.push_back(static_cast<char>(hex(c) * 16 + hex(inner[i + 1])));
      ++i;
    } else if (c == 'n') {
      result.push_back('\n');
    } else if (c == 't') {
      result.push_back('\t');
    } else {
      result.push_back(c);
    }
  }
  return result;
}

std::string SymbolName(absl::string_view token) {
  token.remove_prefix(1);
  if (!token.empty() && token[0] == '"') return Unquote(token);
  return std::string(token);
}

}  // namespace acceld::ir::text
