# SPDX-License-Identifier: Apache-2.0
# Libraries from Debian. The decimal library comes as archives only, without a CMake or pkg-config
# file; "gcc000" is the variant that passes arguments by value and takes rounding mode and flags as
# arguments, so it has no global state.
find_package(Threads REQUIRED)
find_package(EXPAT REQUIRED)
find_package(SQLite3 REQUIRED)
find_library(STF_BID_LIBRARY NAMES libbidgcc000.a REQUIRED)
find_path(STF_BID_INCLUDE bid_functions.h REQUIRED)
# By path while we build, by name in what we install.
set(STF_BID_LINK $<BUILD_INTERFACE:${STF_BID_LIBRARY}> $<INSTALL_INTERFACE:bidgcc000>)
if(STF_TESTS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CHECK REQUIRED IMPORTED_TARGET check)
endif()
