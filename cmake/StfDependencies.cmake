# SPDX-License-Identifier: Apache-2.0
# Libraries from Debian. The decimal library has no CMake or pkg-config file.
find_package(Threads REQUIRED)
find_package(EXPAT REQUIRED)
find_package(SQLite3 REQUIRED)
find_library(STF_BID_LIBRARY NAMES libbidgcc000.a REQUIRED)
find_path(STF_BID_INCLUDE bid_functions.h REQUIRED)
if(STF_TESTS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CHECK REQUIRED IMPORTED_TARGET check)
endif()
