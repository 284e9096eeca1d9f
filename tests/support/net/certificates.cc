#include "tests/support/net/certificates.h"

#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "tests/support/daemon/process.h"

namespace acceld::testing {
namespace {

void OpenSsl(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {"/usr/bin/openssl"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const CommandResult result = RunCommand(argv);
  if (result.exit_code != 0) std::fprintf(stderr, "%s\n", result.output.c_str());
  ACCELD_CHECK(result.exit_code == 0);
}

std::vector<std::string> NewKey(const CertificateFiles& files) {
  return {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", files.key};
}

}  // namespace

Authority::Authority(std::string folder, std::string name)
    : folder_(std::move(folder)),
      files_{absl::StrCat(folder_, "/", name, ".pem"), absl::StrCat(folder_, "/", name, ".key")} {
  std::vector<std::string> arguments = {"req",   "-x509", "-out",  files_.certificate,
                                        "-days", "2",     "-subj", "/CN=" + name};
  const std::vector<std::string> key = NewKey(files_);
  arguments.insert(arguments.end(), key.begin(), key.end());
  OpenSsl(arguments);
}

CertificateFiles Authority::Issue(const std::string& name, const std::string& extensions,
                                  int days) const {
  const std::string stem = absl::StrCat(folder_, "/", name);
  CertificateFiles files{stem + ".pem", stem + ".key"};
  const std::string request = stem + ".csr", configuration = stem + ".ext";
  std::ofstream(configuration) << extensions << "\n";
  std::vector<std::string> arguments = {"req", "-new", "-out", request, "-subj", "/CN=" + name};
  const std::vector<std::string> key = NewKey(files);
  arguments.insert(arguments.end(), key.begin(), key.end());
  OpenSsl(arguments);
  OpenSsl({"x509", "-req", "-in", request, "-CA", files_.certificate, "-CAkey", files_.key,
           "-CAcreateserial", "-out", files.certificate, "-days", absl::StrCat(days), "-extfile",
           configuration});
  return files;
}

CertificateFiles Authority::IssueForServer(const std::string& name) const {
  return Issue(name, "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth");
}

}  // namespace acceld::testing
