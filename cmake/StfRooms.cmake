# SPDX-License-Identifier: Apache-2.0
# A room is a folder of src/: an object library that sees include/ and src/ and is linked into
# libstepfast and, for unit tests, into the static stepfast_internal.

set_property(GLOBAL PROPERTY STF_ROOMS "")
set(STF_VERSION_SCRIPT "${PROJECT_SOURCE_DIR}/cmake/stepfast.map")

# stf_add_room(name SOURCES file... [LIBS target...])
function(stf_add_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT ROOM_SOURCES)
    return()
  endif()
  add_library(stf_${name} OBJECT ${ROOM_SOURCES})
  target_include_directories(stf_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                 ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(stf_${name} PRIVATE ${ROOM_LIBS})
  set_property(GLOBAL APPEND PROPERTY STF_ROOMS stf_${name})
endfunction()

# What every shared library of ours has: version, soname, export list.
function(stf_finish_shared target output export_name)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
    OUTPUT_NAME ${output} EXPORT_NAME ${export_name} LINK_DEPENDS ${STF_VERSION_SCRIPT}
    INSTALL_RPATH "$ORIGIN")
  # A library's calls of its own public functions are direct: nobody is to come in between.
  target_link_options(${target} PRIVATE -Wl,--version-script=${STF_VERSION_SCRIPT}
                                        -Wl,-Bsymbolic-functions)
  if(NOT STF_SANITIZE) # a sanitizer's runtime comes with the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# stf_add_library(name SOURCES file... [LIBS target...])
# A library beside libstepfast that sees public headers and its own folder only: shared
# stepfast_<name> over stepfast, and static stepfast_<name>_internal over stepfast_internal for
# tests (a test program links one or the other world, never both). Users know them as
# stepfast::<name>.
function(stf_add_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT LIB_SOURCES)
    return()
  endif()
  add_library(stepfast_${name}_objects OBJECT ${LIB_SOURCES})
  target_include_directories(stepfast_${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                              ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(stepfast_${name}_objects PRIVATE ${LIB_LIBS})

  add_library(stepfast_${name} SHARED $<TARGET_OBJECTS:stepfast_${name}_objects>)
  target_link_libraries(stepfast_${name} PUBLIC stepfast PRIVATE ${LIB_LIBS})
  stf_finish_shared(stepfast_${name} stepfast-${name} ${name})

  add_library(stepfast_${name}_internal STATIC $<TARGET_OBJECTS:stepfast_${name}_objects>)
  target_link_libraries(stepfast_${name}_internal PUBLIC stepfast_internal PRIVATE ${LIB_LIBS})
  set_target_properties(stepfast_${name}_internal PROPERTIES OUTPUT_NAME stepfast-${name}
                                                             EXPORT_NAME ${name}-static)
  set_property(GLOBAL APPEND PROPERTY STF_LIBRARIES stepfast_${name})
endfunction()

# stf_add_test(name SOURCE file [LIBS target...] [LABELS label...] [TIMEOUT seconds])
# A unit or other test program over tests/support; links stepfast_internal.
function(stf_add_test name)
  cmake_parse_arguments(TEST "" "SOURCE;TIMEOUT" "LIBS;LABELS" ${ARGN})
  add_executable(test_${name} ${TEST_SOURCE})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE stf_test_support ${TEST_LIBS} stepfast_internal)
  add_test(NAME ${name} COMMAND test_${name})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${TEST_LABELS}")
endfunction()

# stf_add_house_test(name COMMAND command...): a test of the house (sources, packages, exports),
# which a sanitizer build need not repeat.
function(stf_add_house_test name)
  cmake_parse_arguments(TEST "" "" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${TEST_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS house)
endfunction()
