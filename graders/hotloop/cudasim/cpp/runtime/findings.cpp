#include "findings.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "launches.h"
#include "traffic.h"

namespace cudasim {
namespace {

bool same_places(const Finding& a, const Finding& b) {
  if (a.witnesses.size() != b.witnesses.size() || a.line != b.line) return false;
  for (size_t i = 0; i < a.witnesses.size(); ++i) {
    if (a.witnesses[i].pc != b.witnesses[i].pc) return false;
  }
  return true;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      out += format("\\u%04x", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + '"';
}

// A place in the program as its file's name and an offset, which survive address randomisation.
// The address of a call is the one before where it returns to.
std::string address(Pc pc) {
  Dl_info info;
  if (!pc || !dladdr(pc, &info) || !info.dli_fname) return "null";
  const auto offset = static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase) - 1;
  return format("{\"module\": %s, \"offset\": %ld}", quoted(info.dli_fname).c_str(),
                static_cast<long>(offset));
}

std::string triple(uint3 v) { return format("[%u, %u, %u]", v.x, v.y, v.z); }

std::string witness_json(const Witness& witness) {
  std::string out = format("{\"at\": %s, \"did\": %s", address(witness.pc).c_str(),
                           quoted(witness.did).c_str());
  if (witness.has_place) {
    out += format(", \"block\": %s, \"thread\": %s", triple(witness.place.block).c_str(),
                  triple(witness.place.thread).c_str());
  }
  return out + "}";
}

std::string finding_json(const Finding& finding) {
  std::string out = format("{\"kind\": %s, \"text\": %s, \"kernel\": %s, \"count\": %u",
                           quoted(finding.kind).c_str(), quoted(finding.text).c_str(),
                           quoted(finding.kernel).c_str(), finding.count);
  if (finding.line) {
    out += format(", \"file\": %s, \"line\": %u", quoted(finding.file).c_str(), finding.line);
  }
  out += ", \"witnesses\": [";
  for (size_t i = 0; i < finding.witnesses.size(); ++i) {
    out += (i ? ", " : "") + witness_json(finding.witnesses[i]);
  }
  return out + "]}";
}

std::string site_json(const Site& site) {
  return format(
      "{\"at\": %s, \"kernel\": %s, \"space\": \"%s\", \"did\": \"%s\", \"accesses\": %llu, "
      "\"bytes\": %llu, \"width\": %u, \"requests\": %llu, \"moved\": %llu, \"fewest\": %llu}",
      address(site.pc).c_str(), quoted(site.kernel).c_str(), name_of(site.space),
      name_of(site.kind), static_cast<unsigned long long>(site.accesses),
      static_cast<unsigned long long>(site.bytes), site.width,
      static_cast<unsigned long long>(site.requests), static_cast<unsigned long long>(site.moved),
      static_cast<unsigned long long>(site.fewest));
}

std::string launch_json(const LaunchRecord& launch) {
  return format(
      "{\"kernel\": %s, \"grid\": %s, \"block\": %s, \"static_shared\": %zu, "
      "\"dynamic_shared\": %zu, \"launches\": %u}",
      quoted(launch.kernel).c_str(), triple(launch.grid).c_str(), triple(launch.block).c_str(),
      launch.static_shared, launch.dynamic_shared, launch.launches);
}

template <class T, class F>
std::string list(const std::vector<T>& items, F to_json) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i ? ",\n  " : "\n  ") + to_json(items[i]);
  return out + "]";
}

}  // namespace

std::string format(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  char small[512];
  va_list again;
  va_copy(again, arguments);
  const int size = vsnprintf(small, sizeof small, text, arguments);
  va_end(arguments);
  std::string out;
  if (size < static_cast<int>(sizeof small)) {
    out.assign(small, size < 0 ? 0 : size);
  } else {
    out.resize(size);
    vsnprintf(out.data(), size + 1, text, again);
  }
  va_end(again);
  return out;
}

void Findings::add(Finding finding) {
  for (Finding& known : all_) {
    if (std::string(known.kind) == finding.kind && same_places(known, finding)) {
      ++known.count;
      return;
    }
  }
  if (all_.size() < kMost) all_.push_back(std::move(finding));
}

Findings& findings() {
  static Findings* all = new Findings;  // outlives every static destructor of the program
  return *all;
}

std::string report_json(const char* ended) {
  return format("{\"format\": 1, \"ended\": %s,\n \"findings\": ", quoted(ended).c_str()) +
         list(findings().all(), finding_json) + ",\n \"sites\": " +
         list(traffic().sites(), site_json) + ",\n \"launches\": " +
         list(launches(), launch_json) + "}\n";
}

void write_report(const char* ended) {
  const char* path = getenv("CUDASIM_REPORT");
  if (!path) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const std::string text = report_json(ended);
  for (size_t written = 0; written < text.size();) {
    const ssize_t now = write(file, text.data() + written, text.size() - written);
    if (now <= 0) break;
    written += now;
  }
  close(file);
}

}  // namespace cudasim
