#pragma once

#include <string>

namespace acceld::testing {

// Paths of a certificate and its key, in PEM.
struct CertificateFiles {
  std::string certificate, key;
};

// A certificate authority that a test makes for itself, with the openssl command. A failure of that
// command ends the test. One thread.
class Authority {
 public:
  // Its files begin with `name` and lie in `folder`, which outlives it.
  Authority(std::string folder, std::string name);

  const std::string& certificate() const { return files_.certificate; }

  // Issues a certificate for `name`. `extensions` are written as in openssl's configuration; a
  // negative number of days makes a certificate that has expired.
  CertificateFiles Issue(const std::string& name, const std::string& extensions = "",
                         int days = 1) const;
  // Issues a certificate for this machine's loopback addresses.
  CertificateFiles IssueForServer(const std::string& name) const;

 private:
  const std::string folder_;
  CertificateFiles files_;
};

}  // namespace acceld::testing
