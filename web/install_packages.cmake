# Installs exactly the packages of package-lock.json (npm ci) and notes that it did.
execute_process(COMMAND ${NPM} ci --no-audit --no-fund --prefer-offline --loglevel=error
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm could not install the viewer page's packages:\n${errors}\n"
    "Is there a network? Without one, configure with -DSELKIE_VIEWER_PAGE=OFF: everything but the page is built.")
endif()
file(WRITE ${STAMP} "npm ci\n")
