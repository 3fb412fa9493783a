# `cmake --install` puts the program, the libraries, the headers and a package file that find_package reads:
#   find_package(selkie REQUIRED)
#   target_link_libraries(game PRIVATE selkie::scene)
# The consumer inherits selkie_flags: Eigen's alignment, and so the layout of structs, depends on them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(SELKIE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/selkie)
get_property(selkie_modules GLOBAL PROPERTY SELKIE_MODULE_TARGETS)
set_target_properties(selkie_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS ${selkie_modules} selkie_flags EXPORT selkie-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT selkie-targets NAMESPACE selkie:: DESTINATION ${SELKIE_PACKAGE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/selkie DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/selkie-config.cmake.in
  ${PROJECT_BINARY_DIR}/selkie-config.cmake INSTALL_DESTINATION ${SELKIE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/selkie-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/selkie-config.cmake ${PROJECT_BINARY_DIR}/selkie-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/Dependencies.cmake
        DESTINATION ${SELKIE_PACKAGE_DIR})

if(TARGET selkie)
  install(TARGETS selkie RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/scenes)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/selkie)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/selkie)
