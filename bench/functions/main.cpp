// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls functions that it is asked for: each line of the input is a name, each line of the output how many seconds one
// call of it took, by the clock and of processors, after two calls that do not count when its name is new. With an
// argument all names are told instead. peers.py asks.
#include "run.hpp"

#include <chrono>
#include <ctime>
#include <iostream>

int main(int count, char**) {
  std::vector<bench::function> all;
  for (const auto& some : {bench::of_elements(), bench::of_order(), bench::of_selections(), bench::of_matrices()})
    all.insert(all.end(), some.begin(), some.end());
  if (count > 1) {
    for (const auto& f : all) std::cout << f.name << '\n';
    return 0;
  }
  std::string known;
  std::function<void()> call;
  for (std::string name; std::getline(std::cin, name);) {
    if (name != known) {
      call = nullptr;
      for (const auto& f : all)
        if (f.name == name) call = f.make();
      if (!call) return 1;
      for (int warm = 0; warm < 2; ++warm) call();
      known = name;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t busy = std::clock();
    call();
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() << ' '
              << static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC << std::endl;
  }
}
