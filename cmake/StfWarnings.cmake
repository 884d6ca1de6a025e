# SPDX-License-Identifier: Apache-2.0
# Language, warnings, sanitizers and hardening for every target of this project.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# As Debian builds; -O3 buys nothing here and lets gcc see ghosts.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(STF_CCACHE ccache)
if(STF_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${STF_CCACHE}")
endif()

add_compile_definitions(_GNU_SOURCE)
add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
  -Wvla -Wcast-qual -Wswitch-enum -Wformat=2 -Wnull-dereference -fno-common)
if(STF_WERROR)
  add_compile_options(-Werror)
endif()
if(STF_SANITIZE)
  add_compile_options(-fsanitize=${STF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STF_SANITIZE} -fno-sanitize-recover=all)
endif()
if(STF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  if(NOT STF_SANITIZE)
    add_compile_options(-fstack-protector-strong -fstack-clash-protection -fcf-protection)
    add_compile_definitions(_FORTIFY_SOURCE=2)
    add_link_options(-Wl,-z,relro,-z,now)
  endif()
endif()
if(STF_FAILPOINTS)
  add_compile_definitions(STF_FAILPOINTS=1)
endif()
