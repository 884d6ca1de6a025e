# SPDX-License-Identifier: Apache-2.0
# pkg-config and CMake package files; filled by the install rules.
