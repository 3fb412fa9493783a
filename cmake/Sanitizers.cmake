# Sanitizers chosen by SELKIE_SANITIZE. Debian's libtbb is not instrumented and yields false reports, so a
# thread-sanitized build runs parallel_for on std::thread.
# For the tests: how much longer they may take, and one variable with the sanitizer's options (one: lists do not
# survive gtest_discover_tests).
set(SELKIE_TIMEOUT_FACTOR 1)
set(SELKIE_SANITIZER_ENVIRONMENT "")
if(SELKIE_SANITIZE)
  target_compile_options(selkie_flags INTERFACE -fsanitize=${SELKIE_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(selkie_flags INTERFACE -fsanitize=${SELKIE_SANITIZE})
  set(SELKIE_TIMEOUT_FACTOR 6)
  set(SELKIE_SANITIZER_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
  if(SELKIE_SANITIZE MATCHES "thread")
    set(SELKIE_SANITIZER_ENVIRONMENT "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp")
    target_compile_definitions(selkie_flags INTERFACE SELKIE_STD_THREADS=1)
  endif()
endif()
