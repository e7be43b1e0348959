// What a caller needs that has loaded a translated file as a library: Python, through ctypes.

#include <cstdlib>
#include <cstring>

#include "findings.h"
#include "host.h"
#include "memory.h"
#include "scheduler.h"
#include "traffic.h"

using namespace cudasim;

extern "C" {

// 0, or -1 for an order that does not exist.
int cudasim_set_order(const char* order) { return set_order(order) ? 0 : -1; }

// Lends memory of the caller's to kernels, until it is taken back. Bytes that are not `written`
// may not be read before a kernel has written them.
void cudasim_lend(void* begin, size_t size, const char* name, int written) {
  Region& region = memory().add(begin, size, Space::Global, "tensor", name);
  region.lent = true;
  if (!written) region.forget_contents();
}

void cudasim_take_back(void* begin) { memory().remove(begin); }

// The report as JSON; the caller frees it with cudasim_free. What it holds is forgotten.
char* cudasim_take_report() {
  report_unchecked_errors();
  const std::string text = report_json("returned");
  findings().clear();
  forget_errors();
  traffic().clear();
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void cudasim_free(char* text) { std::free(text); }
}
