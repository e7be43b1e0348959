#include "traffic.h"

#include <algorithm>

namespace cudasim {
namespace {

constexpr unsigned kSector = 32;
constexpr unsigned kBanks = 32;
constexpr unsigned kBankBytes = 4;

uint64_t sectors(std::vector<uintptr_t>& starts, unsigned bytes) {
  std::vector<uintptr_t> touched;
  for (const uintptr_t start : starts) {
    for (uintptr_t s = start / kSector; s <= (start + bytes - 1) / kSector; ++s) {
      touched.push_back(s);
    }
  }
  std::sort(touched.begin(), touched.end());
  return std::unique(touched.begin(), touched.end()) - touched.begin();
}

uint64_t distinct_bytes(const std::vector<uintptr_t>& sorted, unsigned bytes) {
  uint64_t total = 0;
  uintptr_t reached = 0;
  for (const uintptr_t start : sorted) {
    const uintptr_t from = std::max(start, reached);
    if (start + bytes > from) total += start + bytes - from;
    reached = std::max(reached, start + bytes);
  }
  return total;
}

// Passes for some lanes' words: the largest number of different words in one bank.
uint64_t passes(const std::vector<uintptr_t>& starts, unsigned bytes) {
  std::vector<uintptr_t> words;
  for (const uintptr_t start : starts) {
    for (uintptr_t w = start / kBankBytes; w <= (start + bytes - 1) / kBankBytes; ++w) {
      words.push_back(w);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  unsigned in_bank[kBanks] = {};
  unsigned most = 0;
  for (const uintptr_t word : words) most = std::max(most, ++in_bank[word % kBanks]);
  return most;
}

}  // namespace

const char* name_of(cudasim_access kind) {
  switch (kind) {
    case CUDASIM_READ: return "read";
    case CUDASIM_WRITE: return "write";
    case CUDASIM_ATOMIC: return "atomic";
  }
  return "";
}

void Traffic::begin_kernel(const std::string& kernel) {
  kernel_ = kernel;
  for (auto& warp : warps_) warp.clear();  // an abandoned launch leaves some
  by_pc_.clear();
  last_pc_ = nullptr;
}

uint32_t Traffic::site(Pc pc, Space space, cudasim_access kind) {
  if (pc == last_pc_) return last_site_;
  auto [entry, is_new] = by_pc_.try_emplace(pc, static_cast<uint32_t>(sites_.size()));
  if (is_new) {
    // The same kernel may have run before.
    for (uint32_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i].pc == pc && sites_[i].kernel == kernel_) entry->second = i;
    }
    if (entry->second == sites_.size()) {
      Site site;
      site.pc = pc;
      site.kernel = kernel_;
      site.space = space;
      site.kind = kind;
      sites_.push_back(site);
    }
  }
  last_pc_ = pc;
  return last_site_ = entry->second;
}

void Traffic::access(uint32_t number, uintptr_t address, size_t bytes, const Thread& thread,
                     unsigned live_lanes) {
  Site& site = sites_[number];
  ++site.accesses;
  site.bytes += bytes;
  site.width = std::max(site.width, static_cast<unsigned>(bytes));
  Open& open = warps_[thread.warp][number];
  const uint32_t index = open.seen[thread.lane]++ - open.first;
  while (open.requests.size() <= index) open.requests.emplace_back();
  Request& request = open.requests[index];
  request.addresses[thread.lane] = address;
  request.lanes |= thread.bit();
  request.bytes = std::max(request.bytes, static_cast<unsigned>(bytes));
  while (!open.requests.empty() && open.requests.front().lanes == live_lanes) {
    account(number, open.requests.front());
    open.requests.pop_front();
    ++open.first;
  }
}

void Traffic::end_warp(unsigned warp) {
  for (auto& [site, open] : warps_[warp]) {
    for (const Request& request : open.requests) {
      if (request.lanes) account(site, request);
    }
  }
  warps_[warp].clear();
}

void Traffic::account(uint32_t number, const Request& request) {
  Site& site = sites_[number];
  std::vector<uintptr_t> starts;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (request.lanes & (1u << lane)) starts.push_back(request.addresses[lane]);
  }
  ++site.requests;
  if (site.space == Space::Shared) {
    // Wide accesses go in parts of the warp: 8 bytes in halves, 16 bytes in quarters.
    const unsigned parts = std::max(1u, std::min(4u, request.bytes / kBankBytes));
    const unsigned lanes = kWarpSize / parts;
    for (unsigned part = 0; part < parts; ++part) {
      std::vector<uintptr_t> some;
      for (unsigned lane = part * lanes; lane < (part + 1) * lanes; ++lane) {
        if (request.lanes & (1u << lane)) some.push_back(request.addresses[lane]);
      }
      if (some.empty()) continue;
      site.moved += passes(some, request.bytes);
      site.fewest += 1;
    }
    return;
  }
  site.moved += sectors(starts, request.bytes) * kSector;
  std::sort(starts.begin(), starts.end());
  site.fewest += (distinct_bytes(starts, request.bytes) + kSector - 1) / kSector * kSector;
}

void Traffic::clear() {
  sites_.clear();
  by_pc_.clear();
  last_pc_ = nullptr;
  for (auto& warp : warps_) warp.clear();
}

Traffic& traffic() {
  static Traffic* all = new Traffic;
  return *all;
}

}  // namespace cudasim
