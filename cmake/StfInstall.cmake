# SPDX-License-Identifier: Apache-2.0
# What is installed: headers, shared and static libraries, CMake package, pkg-config files, the
# program, man pages, licence. tests/install builds consumers against the result.
include(CMakePackageConfigHelpers)

set(STF_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stepfast)
get_property(stf_libraries GLOBAL PROPERTY STF_LIBRARIES)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stepfast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
foreach(library IN ITEMS stepfast LISTS stf_libraries)
  install(TARGETS ${library} EXPORT stepfastTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS ${library}_internal EXPORT stepfastStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

# Shared and static targets are two files, so that a user of the shared libraries needs no headers
# of expat or SQLite: find_package(stepfast COMPONENTS static) asks for the second one.
install(EXPORT stepfastTargets NAMESPACE stepfast:: DESTINATION ${STF_CMAKE_DIR})
install(EXPORT stepfastStaticTargets NAMESPACE stepfast:: DESTINATION ${STF_CMAKE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/stepfastConfig.cmake.in
  ${PROJECT_BINARY_DIR}/stepfastConfig.cmake INSTALL_DESTINATION ${STF_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stepfastConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stepfastConfig.cmake
              ${PROJECT_BINARY_DIR}/stepfastConfigVersion.cmake DESTINATION ${STF_CMAKE_DIR})

# stf_install_pkgconfig(name DESCRIPTION text [REQUIRES pc...] [REQUIRES_PRIVATE pc...]
#                       [LIBS_PRIVATE flag...])
function(stf_install_pkgconfig name)
  cmake_parse_arguments(PC "" "DESCRIPTION" "REQUIRES;REQUIRES_PRIVATE;LIBS_PRIVATE" ${ARGN})
  set(PC_NAME ${name})
  # Relative, because --prefix may be given as late as at installation.
  file(RELATIVE_PATH PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  list(JOIN PC_REQUIRES ", " PC_REQUIRES)
  list(JOIN PC_REQUIRES_PRIVATE ", " PC_REQUIRES_PRIVATE)
  list(JOIN PC_LIBS_PRIVATE " " PC_LIBS_PRIVATE)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/stepfast.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

stf_install_pkgconfig(stepfast DESCRIPTION "${PROJECT_DESCRIPTION}"
  REQUIRES_PRIVATE expat LIBS_PRIVATE -lbidgcc000 -pthread -lm)
if(TARGET stepfast_sqlite)
  stf_install_pkgconfig(stepfast-sqlite DESCRIPTION "The SQLite store of Stepfast"
    REQUIRES "stepfast = ${PROJECT_VERSION}" REQUIRES_PRIVATE sqlite3)
endif()
if(TARGET stepfast_conformance)
  stf_install_pkgconfig(stepfast-conformance DESCRIPTION "The conformance suite for Stepfast stores"
    REQUIRES "stepfast = ${PROJECT_VERSION}")
endif()

# The program's target is stepfast_cli, its file stepfast. It finds its libraries in any prefix.
if(TARGET stepfast_cli)
  set_target_properties(stepfast_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS stepfast_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/man)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    FILES_MATCHING PATTERN "*.1")
endif()
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
