// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing of its own: the program whose precompiled header the host tests share.
