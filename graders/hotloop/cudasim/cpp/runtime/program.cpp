// What only a program of its own needs: order and limits from the environment, a report at its end,
// and a word about signals.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "findings.h"
#include "host.h"
#include "memory.h"
#include "scheduler.h"

namespace cudasim {
namespace {

constexpr size_t kSignalStackBytes = 256 << 10;
constexpr int kUsage = 64;
constexpr int kAgainAfterMicroseconds = 1000;
constexpr int kTimedOut = 124;

Pc instruction(const void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<Pc>(machine->uc_mcontext.gregs[REG_RIP] + 1);
#else
  return reinterpret_cast<Pc>(machine->uc_mcontext.pc + 1);
#endif
}

Finding at(const char* kind, std::string text, Pc pc, const char* did) {
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.kernel = current_kernel();
  finding.witnesses = {{pc, did, running != nullptr, current_place()}};
  return finding;
}

// The program is beyond help, so that it does no harm to allocate here.
void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const Pc pc = instruction(context);
  if (running && is_stack_guard(address)) {
    findings().add(at("stack_overflow",
                      "A thread's local variables and calls need more than the 128 KB that the "
                      "simulator gives each thread.",
                      last_pc ? last_pc : pc, "runs"));
  } else if (!running && memory().is_device(address)) {
    findings().add(at("host_access",
                      "Host code uses a device pointer: copy the data with cudaMemcpy first.", pc,
                      "uses"));
  } else if (running && signal == SIGFPE) {
    findings().add(at("division_by_zero", "Divides an integer by zero.", pc, "divides"));
  } else if (running) {
    findings().add(at("out_of_bounds", "Uses an address where there is no memory.", pc, "uses"));
  } else {
    findings().add(at("crash", format("The program crashed: %s.", strsignal(signal)), pc, "runs"));
  }
  write_report("crashed");
  std::fflush(stdout);
  std::fprintf(stderr, "cudasim: %s\n", findings().all().back().text.c_str());
  _exit(128 + signal);
}

void on_alarm(int, siginfo_t*, void* context) {
  if (is_busy()) return;  // it may hold what a report needs; the alarm comes again
  const Pc pc = running && last_pc ? last_pc : instruction(context);
  findings().add(at("timeout",
                    running ? "The kernel did not end in time: a loop without end, or one that "
                              "waits for another block, which never runs beside this one."
                            : "The program did not end in time.",
                    pc, "runs"));
  write_report("timed out");
  std::fflush(stdout);
  _exit(kTimedOut);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

void at_end() {
  report_unchecked_errors();
  write_report("exited");
}

__attribute__((constructor)) void begin() {
  if (const char* order = getenv("CUDASIM_ORDER"); order && !set_order(order)) {
    std::fprintf(stderr,
                 "cudasim: CUDASIM_ORDER is forward, reverse or random:SEED, not \"%s\"\n", order);
    _exit(kUsage);
  }
  static char signal_stack[kSignalStackBytes];
  stack_t stack = {};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) handle(signal, on_fault);
  if (const char* seconds = getenv("CUDASIM_TIMEOUT")) {
    handle(SIGALRM, on_alarm);
    struct itimerval timer = {};
    timer.it_value.tv_sec = std::atol(seconds);
    timer.it_interval.tv_usec = kAgainAfterMicroseconds;
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  std::atexit(at_end);
}

}  // namespace
}  // namespace cudasim

// assert() in a kernel. Elsewhere it is the C library's.
extern "C" [[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                           const char* function) noexcept {
  using namespace cudasim;
  if (!running) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  Finding finding;
  finding.kind = "assert";
  finding.text = format("Assertion `%s` failed.", expression);
  finding.kernel = current_kernel();
  finding.witnesses = {{nullptr, "asserts", true, current_place()}};
  finding.file = file;
  finding.line = line;
  findings().add(std::move(finding));
  abandon(Failure::Assert);
}
