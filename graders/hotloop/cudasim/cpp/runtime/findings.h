// What was found wrong, and the figures a line of source: collected while a program runs, written
// as one JSON document. Lines are still addresses in the program; a reader turns them into lines.
#pragma once

#include <string>
#include <vector>

#include "thread.h"

namespace cudasim {

// One place in the source that takes part in a finding.
struct Witness {
  Pc pc = nullptr;
  const char* did = "";  // "read", "write", "atomic", "waits", …
  bool has_place = false;
  Place place;
};

struct Finding {
  const char* kind = "";
  std::string text;
  std::vector<Witness> witnesses;
  std::string kernel;
  unsigned count = 1;
  // Known already as file and line, where the compiler said so.
  std::string file;
  unsigned line = 0;
};

class Findings {
 public:
  // Adds it, or counts it with one of the same kind at the same places.
  void add(Finding finding);
  const std::vector<Finding>& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  static constexpr size_t kMost = 200;

  std::vector<Finding> all_;
};

Findings& findings();

// The document, and writing it to the file that CUDASIM_REPORT names. `ended`: how the run ended.
std::string report_json(const char* ended);
void write_report(const char* ended);
std::string format(const char* text, ...) __attribute__((format(printf, 1, 2)));

}  // namespace cudasim
