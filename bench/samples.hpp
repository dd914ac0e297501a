// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is reported of repeated timings: the median, and how far the middle half of them spreads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

class samples {
 public:
  void add(double seconds) { sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), seconds), seconds); }
  std::size_t count() const { return sorted_.size(); }
  double least() const { return sorted_.front(); }
  double median() const { return at(0.5); }
  /// Distance between the quartiles as a fraction of the median.
  double spread() const { return (at(0.75) - at(0.25)) / median(); }

 private:
  double at(double fraction) const {
    return sorted_[static_cast<std::size_t>(fraction * static_cast<double>(sorted_.size() - 1) + 0.5)];
  }
  std::vector<double> sorted_;
};

}  // namespace bench
