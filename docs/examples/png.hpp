// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes PNG files as arrays of shape (height, width, 3) with values from 0 to 1, by libpng's simplified
// interface.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <algorithm>
#include <memory>
#include <png.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace png {

using picture = lazyfuse::array<float, 3, lazyfuse::host>;

namespace detail {
[[noreturn]] inline void fail(const char* what, const std::string& path, const png_image& image) {
  throw std::runtime_error(std::string(what) + " " + path + ": " + image.message);
}
/// libpng keeps what it reads with until the picture is complete, or freed.
using reader = std::unique_ptr<png_image, decltype(&png_image_free)>;
}  // namespace detail

/// The picture in a file of any PNG kind; what is transparent comes out on black.
inline picture read(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const detail::reader guard(&image, png_image_free);
  if (!png_image_begin_read_from_file(&image, path.c_str())) detail::fail("cannot read", path, image);
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&image, &black, bytes.data(), 0, nullptr)) detail::fail("cannot read", path, image);

  picture result(lazyfuse::shape{image.height, image.width, 3});
  std::ranges::transform(bytes, result.data(), [](png_byte b) { return static_cast<float>(b) / 255; });
  return result;
}

/// Writes a picture; values below 0 and above 1 are clipped.
inline void write(const std::string& path, const picture& p) {
  if (p.extent(2) != 3) throw std::invalid_argument("cannot write " + path + ": a picture has 3 channels");
  std::vector<png_byte> bytes(static_cast<std::size_t>(p.size()));
  std::ranges::transform(p, bytes.begin(),
                         [](float v) { return static_cast<png_byte>(std::clamp(v, 0.0f, 1.0f) * 255 + 0.5f); });

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.height = static_cast<png_uint_32>(p.extent(0));
  image.width = static_cast<png_uint_32>(p.extent(1));
  if (!png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr))
    detail::fail("cannot write", path, image);
}

}  // namespace png
