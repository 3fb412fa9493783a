# The libraries Selkie stands on; each is found here once. Debian package names are listed in scripts/packages.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(assimp REQUIRED)

find_library(MUPARSER_LIBRARY muparser REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(muparser INTERFACE)
target_link_libraries(muparser INTERFACE ${MUPARSER_LIBRARY})
add_library(metis INTERFACE)
target_link_libraries(metis INTERFACE ${METIS_LIBRARY})

find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(tomlplusplus_headers INTERFACE)
target_include_directories(tomlplusplus_headers SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})
add_library(tomlplusplus::tomlplusplus ALIAS tomlplusplus_headers)

# OpenVDB's finder lies beside its own headers' CMake files; it needs Debian's default Boost.
file(GLOB SELKIE_OPENVDB_MODULES /usr/lib/*/cmake/OpenVDB /usr/lib/cmake/OpenVDB)
list(APPEND CMAKE_MODULE_PATH ${SELKIE_OPENVDB_MODULES})
find_package(OpenVDB REQUIRED)
add_library(openvdb_dependency INTERFACE)
target_link_libraries(openvdb_dependency INTERFACE OpenVDB::openvdb)

find_package(HDF5 REQUIRED COMPONENTS C)
add_library(hdf5_dependency INTERFACE)
target_include_directories(hdf5_dependency SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(hdf5_dependency INTERFACE ${HDF5_C_LIBRARIES})
