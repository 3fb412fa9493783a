# Sanitizers chosen by SELKIE_SANITIZE. Debian's libtbb is not instrumented and yields false reports, so a
# thread-sanitized build runs parallel_for on std::thread.
if(SELKIE_SANITIZE)
  target_compile_options(selkie_flags INTERFACE -fsanitize=${SELKIE_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(selkie_flags INTERFACE -fsanitize=${SELKIE_SANITIZE})
  if(SELKIE_SANITIZE MATCHES "thread")
    target_compile_definitions(selkie_flags INTERFACE SELKIE_STD_THREADS=1)
  endif()
endif()
