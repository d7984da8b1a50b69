#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace dragoman {

/// A few threads that share out the parts of one piece of work at a time. The caller is one of them and never waits for
/// a part that nobody has begun: threads that are slow to start (in a browser they are workers, which the page's event
/// loop brings to life) or cannot be had at all cost speed, nothing else.
class ThreadPool {
 public:
  /// threads >= 1, the caller's counted. `prepare`, if given, runs first on each of the others.
  explicit ThreadPool(int threads, const std::function<void()>& prepare = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  /// work(0) ... work(parts - 1), each once, on any thread; returns when all are done. If some throw, the others are
  /// done all the same, and the first exception comes out here. Allocates nothing.
  template <class Work>
  void run(int parts, const Work& work) {
    run(
        parts, [](const void* context, int part) { (*static_cast<const Work*>(context))(part); }, &work);
  }

 private:
  using Function = void (*)(const void* context, int part);
  struct Shared;  // outlives the pool while a thread still ends

  void run(int parts, Function function, const void* context);

  int size_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace dragoman
