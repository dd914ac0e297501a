# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A build that nobody chose has no optimisation, and loops over expressions then take up to a hundred times as long: they
# are compiled with the flags of whoever includes the headers. Warns once; "Debug" or "None" are choices.
function(lazyfuse_check_build_type)
  get_property(warned GLOBAL PROPERTY lazyfuse_warned_of_build_type)
  get_property(several_types GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(warned OR several_types OR CMAKE_BUILD_TYPE OR "${CMAKE_CXX_FLAGS}" MATCHES "(^| )[-/]O")
    return()
  endif()
  set_property(GLOBAL PROPERTY lazyfuse_warned_of_build_type ON)
  message(WARNING "lazyfuse: CMAKE_BUILD_TYPE is not set, so programs are compiled without optimisation and their loops are up to "
                  "100 times slower: configure with -DCMAKE_BUILD_TYPE=Release, or with None to keep it so.")
endfunction()
lazyfuse_check_build_type()
