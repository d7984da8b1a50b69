#include "base/thread_pool.h"

#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace dragoman {

struct ThreadPool::Shared {
  std::mutex mutex;  // of all that follows
  std::condition_variable begun, done;
  Function function = nullptr;
  const void* context = nullptr;
  int parts = 0, next = 0, unfinished = 0;
  std::exception_ptr error;  // the first that a part has thrown
  bool ending = false;

  // Takes parts that nobody has begun until there are none. `lock` is held before and after.
  void work(std::unique_lock<std::mutex>& lock) {
    while (next < parts) {
      const int part = next++;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        function(context, part);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !error) error = std::move(thrown);
      if (--unfinished == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads, const std::function<void()>& prepare)
    : size_(threads), shared_(std::make_shared<Shared>()) {
  const auto loop = [shared = shared_, prepare] {
    if (prepare) prepare();
    std::unique_lock lock(shared->mutex);
    while (!shared->ending) {
      shared->work(lock);
      shared->begun.wait(lock, [&] { return shared->ending || shared->next < shared->parts; });
    }
  };
  try {
    // Detached: a browser may not have started a thread yet when the pool ends, and to wait for it would be for ever.
    for (int i = 1; i < threads; ++i) std::thread(loop).detach();
  } catch (const std::system_error&) {  // the system has no more; those there are will do
  }
}

ThreadPool::~ThreadPool() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ending = true;
  shared_->begun.notify_all();
}

void ThreadPool::run(int parts, Function function, const void* context) {
  std::unique_lock lock(shared_->mutex);
  shared_->function = function;
  shared_->context = context;
  shared_->parts = shared_->unfinished = parts;
  shared_->next = 0;
  if (parts > 1) shared_->begun.notify_all();
  shared_->work(lock);
  shared_->done.wait(lock, [&] { return shared_->unfinished == 0; });
  if (shared_->error) std::rethrow_exception(std::exchange(shared_->error, nullptr));
}

}  // namespace dragoman
