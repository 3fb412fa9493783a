// libFuzzer target: whatever the bytes, parse_stl returns a sound mesh or throws InputError.
#include "fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return selkie::fuzz::run(data, size, selkie::io::parse_stl);
}
