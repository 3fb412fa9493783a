# The libraries Selkie stands on; each is found here once. Debian package names are listed in scripts/packages.
# Installed beside selkie-config.cmake as well: a consumer of the static libraries finds the same libraries
# again on its own machine. Hence imported targets only: an export names them without owning them.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(assimp REQUIRED)

# selkie_imported(NAME [INCLUDE folders...] LINK libraries...)
function(selkie_imported name)
  cmake_parse_arguments(ARG "" "" "INCLUDE;LINK" ${ARGN})
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${name} SYSTEM INTERFACE ${ARG_INCLUDE})
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

find_library(MUPARSER_LIBRARY muparser REQUIRED)
selkie_imported(muparser LINK ${MUPARSER_LIBRARY})

find_library(METIS_LIBRARY metis REQUIRED)
selkie_imported(metis LINK ${METIS_LIBRARY})

find_path(SPECTRA_INCLUDE Spectra/SymEigsSolver.h REQUIRED)
selkie_imported(spectra INCLUDE ${SPECTRA_INCLUDE})

find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
selkie_imported(tomlplusplus::tomlplusplus INCLUDE ${TOMLPLUSPLUS_INCLUDE})

# OpenVDB's finder lies beside its own headers' CMake files; it needs Debian's default Boost.
file(GLOB SELKIE_OPENVDB_MODULES /usr/lib/*/cmake/OpenVDB /usr/lib/cmake/OpenVDB)
list(APPEND CMAKE_MODULE_PATH ${SELKIE_OPENVDB_MODULES})
find_package(OpenVDB REQUIRED)
selkie_imported(openvdb_dependency LINK OpenVDB::openvdb)

find_package(embree 3 REQUIRED)
selkie_imported(embree_dependency LINK embree)

find_package(HDF5 REQUIRED COMPONENTS C)
# The finder also names what a shared HDF5 has linked itself (curl, OpenSSL and more): nothing of ours calls it.
list(FILTER HDF5_C_LIBRARIES INCLUDE REGEX hdf5)
selkie_imported(hdf5_dependency INCLUDE ${HDF5_INCLUDE_DIRS} LINK ${HDF5_C_LIBRARIES})

find_package(PNG REQUIRED)
selkie_imported(png_dependency LINK PNG::PNG)
