# Build options and the settings every target shares.
option(SELKIE_NATIVE "Use every instruction of this machine's CPU (off: a portable build)" ON)
option(SELKIE_TESTS "Build the tests" ON)
option(SELKIE_BENCH "Build the benchmarks" ON)
option(SELKIE_SAMPLES "Build the sample programs" ON)
option(SELKIE_PYTHON "Build the Python package" ON)
option(SELKIE_VIEWER_PAGE "Build the page of `selkie view` (needs node and npm)" ON)
option(SELKIE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(SELKIE_WERROR "Treat warnings as errors" ON)
option(SELKIE_ASSERTS "Keep SELKIE_ASSERT in optimised builds" OFF)
option(SELKIE_PRECOMPILED "Precompile common headers: a build from nothing takes less time, a small change more" OFF)
option(SELKIE_CHOLMOD "Use CHOLMOD (partly GPL) as an optional direct solver" OFF)
set(SELKIE_SANITIZE "" CACHE STRING "Comma-separated sanitizers, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Not with precompiled headers: ccache 4.7 takes a header that is precompiled anew for the old one.
find_program(SELKIE_CCACHE ccache)
if(SELKIE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT SELKIE_PRECOMPILED)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SELKIE_CCACHE}")
endif()

# Everything public that changes code generation lives on this one target, so that no two modules differ.
add_library(selkie_flags INTERFACE)
target_compile_features(selkie_flags INTERFACE cxx_std_20)
# No fused multiply-add behind our back: the same source gives the same bits.
target_compile_options(selkie_flags INTERFACE -ffp-contract=off)
# Targets whose own code does no work that counts (tests, bindings) set SELKIE_QUICK_BUILD: compiling them is most of what
# they cost.
target_compile_options(selkie_flags INTERFACE
  $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:SELKIE_QUICK_BUILD>>,-O1,-O3>>)
# With -O1 GCC 12 takes its own AVX-512 intrinsics, precompiled, for uninitialised.
target_compile_options(selkie_flags INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:SELKIE_QUICK_BUILD>>>:-Wno-uninitialized>)
if(SELKIE_NATIVE)
  target_compile_options(selkie_flags INTERFACE -march=native)
endif()
if(SELKIE_ASSERTS)
  target_compile_definitions(selkie_flags INTERFACE SELKIE_ASSERTS=1)
endif()
# Eigen must not thread or allocate behind our back.
target_compile_definitions(selkie_flags INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
