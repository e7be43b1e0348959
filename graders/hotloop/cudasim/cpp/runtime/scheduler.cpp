#include "scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "fiber.h"
#include "findings.h"
#include "memory.h"
#include "race.h"
#include "shared.h"
#include "traffic.h"
#include "warp.h"

// To a program these are constants, because within a thread they are.
uint3 threadIdx;
uint3 blockIdx;
uint3 blockDim;
uint3 gridDim;

namespace cudasim {

Thread* running = nullptr;
Pc last_pc = nullptr;

namespace {

enum class Order { Forward, Reverse, Random };

Order order = Order::Forward;
std::mt19937 shuffler;
Stacks stacks;
void* scheduler_stack = nullptr;
const Grid* grid = nullptr;
Block block;
Failure failure = Failure::None;
bool abandoned = false;
volatile bool busy = false;
unsigned unfinished = 0;
uint64_t fences = 0;

constexpr unsigned kAtomicsBeforeWaiting = 64;

// The numbers 0 to count-1 in the order that is set.
void arrange(std::vector<unsigned>& numbers, unsigned count) {
  numbers.resize(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  if (order == Order::Reverse) std::reverse(numbers.begin(), numbers.end());
  if (order == Order::Random) std::shuffle(numbers.begin(), numbers.end(), shuffler);
}

void thread_main() {
  grid->body(grid->closure);
  running->state = State::Finished;
  cudasim_switch(&running->suspended, scheduler_stack);
  std::abort();  // nobody resumes a finished thread
}

void resume(Thread& thread) {
  running = &thread;
  threadIdx = thread.index;
  cudasim_switch(&scheduler_stack, thread.suspended);
  if (in_doubt) races().settle();
  running = nullptr;
  if (thread.state == State::Finished) --unfinished;
}

void suspend() {
  running->atomics = 0;
  busy = false;
  cudasim_switch(&running->suspended, scheduler_stack);
}

uint3 unflatten(unsigned number, dim3 extent) {
  return {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
}

unsigned volume(dim3 extent) { return extent.x * extent.y * extent.z; }

void begin_block(uint32_t number) {
  block.number = number;
  block.index = blockIdx = unflatten(number, grid->blocks);
  unfinished = block.threads.size();
  for (unsigned rank = 0; rank < block.threads.size(); ++rank) {
    Thread& thread = block.threads[rank];
    thread = Thread();
    thread.rank = rank;
    thread.warp = rank / kWarpSize;
    thread.lane = rank % kWarpSize;
    thread.index = unflatten(rank, grid->threads);
    thread.state = State::Ready;
    thread.stack = stacks.bottom(rank);
    thread.suspended = prepare_stack(thread.stack, Stacks::kBytes, thread_main);
  }
  shared().begin_block(grid->dynamic_shared);
}

// Runs a warp until all of its lanes wait or have finished. True when anything ran.
bool run_warp(unsigned warp, std::vector<unsigned>& lanes) {
  Thread* first = &block.threads[warp * kWarpSize];
  const unsigned count =
      std::min<unsigned>(kWarpSize, block.threads.size() - warp * kWarpSize);
  bool ran = false;
  for (bool again = true; again;) {
    again = false;
    arrange(lanes, count);
    for (const unsigned lane : lanes) {
      Thread& thread = first[lane];
      if (thread.state != State::Ready) continue;
      resume(thread);
      if (abandoned) return true;
      ran = true;
    }
    again = complete_warp_operations(first, count);
  }
  return ran;
}

bool same_statement(const Thread& a, const Thread& b) {
  if (a.waits_in_line != b.waits_in_line) return false;
  return a.waits_in_file == b.waits_in_file || !std::strcmp(a.waits_in_file, b.waits_in_file);
}

// Opens the barrier when all threads that have not finished wait there. True when it opened.
bool open_barrier() {
  unsigned waiting = 0;
  const Thread* one = nullptr;
  const Thread* finished = nullptr;
  int votes[3] = {0, 1, 0};
  std::vector<Acquired> acquired;
  for (const Thread& thread : block.threads) {
    if (thread.state == State::Finished) {
      finished = &thread;
      continue;
    }
    if (thread.state != State::AtBarrier) return false;
    ++waiting;
    if (one && !same_statement(*one, thread)) {
      report_divergent_barrier(*one, thread);
      failure = Failure::LaunchFailure;
      abandoned = true;
      return true;
    }
    one = &thread;
    votes[CUDASIM_COUNT] += thread.predicate;
    votes[CUDASIM_AND] &= thread.predicate;
    votes[CUDASIM_OR] |= thread.predicate;
    join(acquired, thread.acquired);
  }
  if (!waiting) return false;
  if (finished) report_skipped_barrier(*one, *finished, waiting, block.threads.size() - waiting);
  pass_fences(block.threads.data(), block.threads.size(), block.warps());
  for (Thread& thread : block.threads) {
    if (thread.state != State::AtBarrier) continue;
    thread.state = State::Ready;
    thread.result = votes[thread.source_lane];
    ++thread.barriers;
    if (!acquired.empty()) thread.acquired = acquired;
  }
  return true;
}

void run_block(uint32_t number, std::vector<unsigned>& warps, std::vector<unsigned>& lanes) {
  begin_block(number);
  while (unfinished && !abandoned) {
    bool ran = false;
    arrange(warps, block.warps());
    for (const unsigned warp : warps) {
      ran |= run_warp(warp, lanes);
      if (abandoned) return;
    }
    if (open_barrier() || ran) continue;
    report_deadlock(block);
    failure = Failure::LaunchFailure;
    abandoned = true;
  }
  for (unsigned warp = 0; warp < block.warps(); ++warp) traffic().end_warp(warp);
}

}  // namespace

bool set_order(const char* text) {
  if (!std::strcmp(text, "forward")) {
    order = Order::Forward;
  } else if (!std::strcmp(text, "reverse")) {
    order = Order::Reverse;
  } else if (!std::strncmp(text, "random:", 7)) {
    order = Order::Random;
    shuffler.seed(std::strtoul(text + 7, nullptr, 10));
  } else {
    return false;
  }
  return true;
}

Failure run_grid(const Grid& what) {
  grid = &what;
  gridDim = what.blocks;
  blockDim = what.threads;
  failure = Failure::None;
  abandoned = false;
  block.threads.resize(volume(what.threads));
  if (!stacks.reserve(block.threads.size())) return Failure::MemoryAllocation;
  races().begin_launch();
  traffic().begin_kernel(what.kernel);
  shared().begin_launch(what.most_shared);
  std::vector<unsigned> blocks, warps, lanes;
  arrange(blocks, volume(what.blocks));
  for (const unsigned number : blocks) {
    run_block(number, warps, lanes);
    if (abandoned) break;
  }
  grid = nullptr;
  return failure;
}

const Block& current_block() { return block; }

const std::string& current_kernel() {
  static const std::string none;
  return grid ? grid->kernel : none;
}

uint3 block_index(uint32_t number) { return unflatten(number, gridDim); }
uint3 thread_index(unsigned rank) { return unflatten(rank, blockDim); }
Place current_place() { return {block.index, running ? running->index : uint3{}}; }
size_t dynamic_shared_bytes() { return grid ? grid->dynamic_shared : 0; }

unsigned live_lanes(unsigned warp) {
  const unsigned count = block.threads.size() - warp * kWarpSize;
  return count >= kWarpSize ? kFullMask : (1u << count) - 1;
}

void let_others_run() {
  if (++running->atomics >= kAtomicsBeforeWaiting) suspend();
}

void abandon(Failure why) {
  failure = why;
  abandoned = true;
  suspend();
  std::abort();
}

Busy::Busy() { busy = true; }
Busy::~Busy() { busy = false; }
bool is_busy() { return busy || (grid && !running); }

bool is_stack_guard(uintptr_t address) { return stacks.guards(address); }

bool is_private(uintptr_t address) {
  const auto bottom = reinterpret_cast<uintptr_t>(running->stack);
  const auto parameters = reinterpret_cast<uintptr_t>(grid->closure);
  return address - bottom < Stacks::kBytes || address - parameters < grid->closure_size;
}

}  // namespace cudasim

using namespace cudasim;

extern "C" {

void cudasim_barrier(const char* file, int line) {
  Thread& thread = *running;
  thread.waits_at = last_pc = __builtin_return_address(0);
  thread.waits_in_file = file;
  thread.waits_in_line = line;
  thread.predicate = 0;
  thread.source_lane = CUDASIM_COUNT;
  thread.state = State::AtBarrier;
  suspend();
}

int cudasim_barrier_vote(cudasim_vote kind, int predicate, const char* file, int line) {
  Thread& thread = *running;
  thread.waits_at = last_pc = __builtin_return_address(0);
  thread.waits_in_file = file;
  thread.waits_in_line = line;
  thread.predicate = predicate != 0;
  thread.source_lane = kind;
  thread.state = State::AtBarrier;
  suspend();
  return static_cast<int>(thread.result);
}

uint64_t cudasim_warp(cudasim_warp_op op, unsigned mask, uint64_t value, unsigned source_lane,
                      int line) {
  Thread& thread = *running;
  thread.waits_at = last_pc = __builtin_return_address(0);
  thread.waits_in_line = line;
  if (op != CUDASIM_ACTIVE && !(mask & thread.bit())) {
    report_bad_mask(thread, mask);
    abandon(Failure::LaunchFailure);
  }
  thread.op = op;
  thread.mask = mask;
  thread.value = value;
  thread.source_lane = source_lane;
  thread.state = State::AtWarp;
  suspend();
  return thread.result;
}

unsigned cudasim_lane() { return running->lane; }

void cudasim_yield() { suspend(); }

void cudasim_fence() {
  Thread& thread = *running;
  thread.fenced = true;
  thread.fence = {++fences, thread.now(block.number), thread.acquired};
}

void cudasim_trap() {
  Finding finding;
  finding.kind = "trap";
  finding.text = "The kernel stopped itself with __trap().";
  finding.kernel = current_kernel();
  finding.witnesses = {{__builtin_return_address(0), "traps", true, current_place()}};
  findings().add(std::move(finding));
  abandon(Failure::LaunchFailure);
}
}
