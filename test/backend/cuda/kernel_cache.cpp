// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files in which kernels wait for later processes: what is read is what was stored, or nothing.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/disk_cache.hpp"
#include "disk/folder.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using lazyfuse::cuda_detail::compiled, lazyfuse::cuda_detail::load_kernel, lazyfuse::cuda_detail::store_kernel,
    lazyfuse::disk_detail::cache_folder;

class kernel_cache : public ::testing::Test {
 protected:
  std::string folder;
  void SetUp() override {
    folder = ::testing::TempDir() + "kernel_cache_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder += "/of the user";
  }
  void TearDown() override { fs::remove_all(fs::path(folder).parent_path()); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder)) found.push_back(file.path());
    return found;
  }
};
std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

const compiled some{std::string("machine code") + '\0' + "with a zero", {"first", "second"}, ""};

TEST_F(kernel_cache, gives_back_what_was_stored_under_the_key) {
  EXPECT_EQ(load_kernel(folder, "key").binary, "");
  store_kernel(folder, "key", some);
  const compiled found = load_kernel(folder, "key");
  EXPECT_EQ(found.binary, some.binary);
  EXPECT_EQ(found.names, some.names);
  EXPECT_EQ(load_kernel(folder, "another key").binary, "");
  store_kernel(folder, "key", {"newer", {}, ""});
  EXPECT_EQ(load_kernel(folder, "key").binary, "newer");
}

TEST_F(kernel_cache, trusts_no_file_that_was_changed_at_any_byte_or_is_shorter_or_longer) {
  store_kernel(folder, "key", some);
  const fs::path file = files().at(0);
  const std::string text = text_of(file);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write(file, damaged);
    EXPECT_EQ(load_kernel(folder, "key").binary, "") << "byte " << i;
    write(file, text.substr(0, i));
    EXPECT_EQ(load_kernel(folder, "key").binary, "") << "without byte " << i;
  }
  write(file, text + " ");
  EXPECT_EQ(load_kernel(folder, "key").binary, "");
  store_kernel(folder, "key", some);
  EXPECT_EQ(load_kernel(folder, "key").binary, some.binary) << "it is written again";
}

TEST_F(kernel_cache, trusts_no_file_of_another_key_under_the_name_of_this_one) {
  store_kernel(folder, "key", some);
  const fs::path file = files().at(0);
  store_kernel(folder, "another key", {"other code", {}, ""});
  for (const fs::path& other : files())
    if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  EXPECT_EQ(load_kernel(folder, "key").binary, "");
}

TEST_F(kernel_cache, is_for_the_user_alone) {
  store_kernel(folder, "key", some);
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  const fs::path file = files().at(0);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(load_kernel(folder, "key").binary, "") << "anybody could have written it";
  fs::remove(file);
  fs::permissions(folder, fs::perms::group_write, fs::perm_options::add);
  store_kernel(folder, "key", some);
  EXPECT_TRUE(files().empty()) << "anybody could write there";
}

TEST_F(kernel_cache, follows_no_link) {
  store_kernel(folder, "key", some);
  const fs::path file = files().at(0), elsewhere = fs::path(folder).parent_path() / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(load_kernel(folder, "key").binary, "");
}

TEST_F(kernel_cache, is_missed_by_nobody_where_it_cannot_be) {
  write(fs::path(folder).parent_path() / "file", "");
  const std::string below_a_file = (fs::path(folder).parent_path() / "file" / "folder").string();
  for (const std::string& nowhere : {std::string(), below_a_file, std::string("/proc/lazyfuse")}) {
    store_kernel(nowhere, "key", some);
    EXPECT_EQ(load_kernel(nowhere, "key").binary, "") << nowhere;
  }
}

TEST_F(kernel_cache, is_no_larger_than_it_may_be) {
  const compiled large{std::string(10000, 'x'), {}, ""};
  for (int i = 0; i < 20; ++i) store_kernel(folder, "key " + std::to_string(i), large, 55000);
  EXPECT_EQ(files().size(), 5u);
  EXPECT_EQ(load_kernel(folder, "key 19").binary, large.binary) << "the last";
  const fs::path left = fs::path(folder) / "being_written.abcdef";
  write(left, "half of one");
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  store_kernel(folder, "key 20", large, 55000);
  EXPECT_FALSE(fs::exists(left)) << "whoever wrote it has ended";
  const fs::path another = fs::path(folder) / "of something else";
  write(another, "");
  fs::last_write_time(another, fs::file_time_type::clock::now() - std::chrono::hours(2));
  store_kernel(folder, "key 21", large, 55000);
  EXPECT_TRUE(fs::exists(another));
}

TEST_F(kernel_cache, is_shared_by_threads_and_processes) {
  const auto work = [&] {
    bool right = true;
    for (int round = 0; round < 50; ++round)
      for (int i = 0; i < 4; ++i) {
        const std::string key = "key " + std::to_string(i), binary(5000u + static_cast<unsigned>(i), 'x');
        store_kernel(folder, key, {binary, {key}, ""});
        const compiled found = load_kernel(folder, key);
        right = right && found.binary == binary && found.names == std::vector{key};
      }
    return right;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::thread> threads;
  std::vector<char> right(4);
  for (std::size_t i = 0; i < right.size(); ++i) threads.emplace_back([&, i] { right[i] = work() ? 1 : 0; });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, std::vector<char>(4, 1));
  EXPECT_EQ(files().size(), 4u) << "nothing is left half written";
}

TEST_F(kernel_cache, is_where_the_environment_says) {
  const auto with = [](const char* own, const char* xdg, const char* home) {
    const auto set = [](const char* name, const char* value) { value ? ::setenv(name, value, 1) : ::unsetenv(name); };
    set("LAZYFUSE_CACHE", own);
    set("XDG_CACHE_HOME", xdg);
    set("HOME", home);
    return cache_folder();
  };
  EXPECT_EQ(with("/a", "/b", "/c"), "/a");
  EXPECT_EQ(with("off", "/b", "/c"), "");
  EXPECT_EQ(with(nullptr, "/b", "/c"), "/b/lazyfuse");
  EXPECT_EQ(with(nullptr, nullptr, "/c"), "/c/.cache/lazyfuse");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
}

class kernel_bundle : public ::testing::Test {
 protected:
  std::string file;
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "kernel_bundle_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    file = folder + "/bundle";
  }
  void TearDown() override { fs::remove_all(fs::path(file).parent_path()); }
  static std::string thrown_by(const std::string& bundle) {
    try {
      lazyfuse::load_kernels(bundle);
    } catch (const lazyfuse::file_error& e) {
      return e.what();
    }
    return "";
  }
  /// In a process of its own, whose kernels are not this one's.
  template <class F>
  static bool elsewhere(const F& right) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(right() ? 0 : 1);
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
  }
};
using lazyfuse::cuda_detail::known_kernel, lazyfuse::cuda_detail::remember_kernel;

TEST_F(kernel_bundle, has_the_kernels_of_several_processes) {
  for (const char* key : {"a", "b"})
    EXPECT_TRUE(elsewhere([&] {
      if (fs::exists(file)) lazyfuse::load_kernels(file);
      remember_kernel(key, some);
      lazyfuse::pack_kernels(file);
      return true;
    }));
  EXPECT_TRUE(elsewhere([&] {
    const bool none = known_kernel("a").binary.empty() && lazyfuse::cuda_detail::bundles_loaded() == 0;
    const bool two = lazyfuse::load_kernels(file) == 2 && lazyfuse::cuda_detail::bundles_loaded() == 1;
    const compiled found = known_kernel("b");
    return none && two && found.binary == some.binary && found.names == some.names &&
           known_kernel("a").binary == some.binary && known_kernel("c").binary.empty();
  }));
}

TEST_F(kernel_bundle, of_the_environment_is_collected_by_run_after_run) {
  ::setenv("LAZYFUSE_BUNDLE", file.c_str(), 1);
  ::setenv("LAZYFUSE_PACK", file.c_str(), 1);
  for (const char* key : {"a", "b", ""})
    EXPECT_TRUE(elsewhere([&] {
      if (*key) remember_kernel(key, some);
      lazyfuse::pack_kernels(file);  // as at the end of a process
      return true;
    }));
  ::unsetenv("LAZYFUSE_BUNDLE");
  ::unsetenv("LAZYFUSE_PACK");
  EXPECT_TRUE(elsewhere([&] { return lazyfuse::load_kernels(file) == 2; }));
  EXPECT_NE(fs::status(file).permissions() & fs::perms::others_read, fs::perms::none) << "for other users, too";
}

TEST_F(kernel_bundle, is_named_by_the_environment) {
  EXPECT_TRUE(elsewhere([&] {
    remember_kernel("a", some);
    lazyfuse::pack_kernels(file);
    return true;
  }));
  ::setenv("LAZYFUSE_BUNDLE", file.c_str(), 1);
  EXPECT_TRUE(elsewhere([] { return known_kernel("a").binary == some.binary; }));
  ::setenv("LAZYFUSE_BUNDLE", (file + " that is not there").c_str(), 1);
  EXPECT_TRUE(elsewhere([] { return known_kernel("a").binary.empty(); })) << "it is said, and nothing stops";
  ::unsetenv("LAZYFUSE_BUNDLE");
}

TEST_F(kernel_bundle, that_was_changed_at_any_byte_or_is_shorter_or_longer_is_refused) {
  EXPECT_TRUE(elsewhere([&] {
    remember_kernel("a", some);
    lazyfuse::pack_kernels(file);
    return true;
  }));
  const std::string text = text_of(file), damaged = file + ".damaged";
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 0x10);
    write(damaged, other);
    EXPECT_NE(thrown_by(damaged), "") << "byte " << i;
    write(damaged, text.substr(0, i));
    EXPECT_NE(thrown_by(damaged), "") << "without byte " << i;
  }
  write(damaged, text + " ");
  EXPECT_EQ(thrown_by(damaged), "lazyfuse: '" + damaged + "' is no bundle of kernels, or is damaged: pack it again");
  EXPECT_EQ(thrown_by(file + "s"), "lazyfuse: '" + file + "s' cannot be opened");
  EXPECT_EQ(thrown_by("/"), "lazyfuse: '/' cannot be read");
  EXPECT_TRUE(known_kernel("a").binary.empty()) << "nothing of it was taken";
  EXPECT_THROW(lazyfuse::pack_kernels(file + "/below a file"), lazyfuse::file_error);
}

}  // namespace
