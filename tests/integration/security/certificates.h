#pragma once

#include <string>

namespace acceld::testing {

// Paths of a certificate and its key, in PEM.
struct CertificateFiles {
  std::string certificate, key;
};

// An authority that the test makes for itself, with the openssl command. One
// thread.
class Authority {
 public:
  // Its files begin with `name` and lie in `folder`, which outlives it.
  Authority(std::string folder, std::string name);

  const std::string& certificate() const { return files_.certificate; }

  // One for `name`. `extensions` as openssl's configuration has them; a
  // negative number of days makes one that has expired.
  CertificateFiles Issue(const std::string& name, const std::string& extensions = "",
                         int days = 1) const;
  // One for this machine's loopback addresses.
  CertificateFiles IssueForServer(const std::string& name) const;

 private:
  const std::string folder_;
  CertificateFiles files_;
};

}  // namespace acceld::testing
