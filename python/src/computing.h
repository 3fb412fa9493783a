// Computing while other Python threads run.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>

namespace selkie::python {

// A scope in which the library computes without the interpreter lock. Every call that lets go of the lock
// goes through here: set_threads() ends the threads that parallel loops run on, so it must know of all of
// them.
class Computing {
 public:
  // How many such scopes there are at the moment, in all threads. With the lock held, none can begin.
  static int running() { return count(); }

 private:
  static std::atomic<int>& count() {
    static std::atomic<int> scopes = 0;
    return scopes;
  }
  // Counted before the lock is let go and until it is held again.
  struct Counted {
    Counted() { ++count(); }
    ~Counted() { --count(); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
  };
  Counted counted_;
  pybind11::gil_scoped_release release_;
};

}  // namespace selkie::python
