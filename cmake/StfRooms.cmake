# SPDX-License-Identifier: Apache-2.0
# A room is a folder of src/: an object library that sees include/ and src/ and is linked into
# libstepfast and, for unit tests, into the static stepfast_internal.

set_property(GLOBAL PROPERTY STF_ROOMS "")

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
