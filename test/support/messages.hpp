// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What exceptions say.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>

namespace test {

/// The text of the exception of that type that f throws.
template <class Error, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "another exception: " << other.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}
/// Whether a text has all the parts.
inline bool mentions(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

}  // namespace test
