# Warnings for our own sources only. GCC 12's -Wrestrict and -Wmaybe-uninitialized report library code
# (std::string operator+, Eigen expressions) that is correct, so they stay off.
add_library(selkie_warnings INTERFACE)
target_compile_options(selkie_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused $<$<BOOL:${SELKIE_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
# A `#pragma omp simd` is a permission; where clang cannot follow it, the loop is slower, not wrong.
target_compile_options(selkie_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
# Precompiled, the library's own headers lose the exemption of system headers in GCC 12, and its warnings about sizes
# it cannot see (again in std::string operator+) come through.
if(SELKIE_PRECOMPILED)
  target_compile_options(selkie_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
endif()
# Below -O3 and with sanitizers GCC 12 takes its own AVX-512 intrinsics, which Eigen calls, for uninitialised.
target_compile_options(selkie_warnings INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Release>>>:-Wno-uninitialized>)
