// A drawable with its own copy of the data, for whoever keeps one past the system's next step.
#pragma once

#include <cstddef>
#include <memory>

#include "selkie/ports/drawable.h"

namespace selkie::io {

// Bytes an OwnedDrawable of it takes.
std::size_t data_bytes(const ports::Drawable& drawable);

class OwnedDrawable {
 public:
  explicit OwnedDrawable(const ports::Drawable& source);
  OwnedDrawable(OwnedDrawable&&) noexcept = default;
  OwnedDrawable(const OwnedDrawable&) = delete;
  OwnedDrawable& operator=(const OwnedDrawable&) = delete;

  const ports::Drawable& get() const { return drawable_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> storage_;
  ports::Drawable drawable_;  // its spans point into storage_
};

}  // namespace selkie::io
