// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tune has measured is known to later processes on the same machine; from the disk comes what was put there, or
// nothing.
#include "evaluate/findings.hpp"
#include "support/arrays.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using lf::axis, lf::keepdims, lf::plan_choice;
using lf::tune_detail::load_findings, lf::tune_detail::store_finding, lf::tune_detail::findings;

const findings nothing;

class tuning_on_disk : public ::testing::Test {
 protected:
  std::string folder;
  void SetUp() override {
    folder = ::testing::TempDir() + "tuning_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder += "/of the user";
    begin_in(folder);
  }
  void TearDown() override {
    begin_in("off");
    fs::remove_all(fs::path(folder).parent_path());
  }
  /// From now on it is as in a process that begins.
  static void begin_in(const std::string& place) {
    ::setenv("LAZYFUSE_CACHE", place.c_str(), 1);
    lf::tune_detail::forget();
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (fs::exists(folder))
      for (const auto& file : fs::directory_iterator(folder)) found.push_back(file.path());
    return found;
  }
  fs::path file() const { return files().at(0); }
};
std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

lf::array<float, 2> counting(std::int64_t rows, std::int64_t columns) {
  return test::array_of<lf::host, 2>(test::counting<float>({rows, columns}));
}
const auto& operand() {
  static const auto x = counting(30, 100);
  return x;
}
/// Its default is one kernel.
auto shares() { return operand() / lf::sum(operand(), axis<1>, keepdims); }
template <class E>
lf::index_t kernels_of(const E& e) {
  lf::kernel_trace trace;
  const auto result = lf::materialize(e);
  return trace.launches();
}
template <class E>
void keep(const E& e, plan_choice choice) {
  lf::tune_detail::keep(lf::tune_detail::rows_of(e), choice);
}

TEST_F(tuning_on_disk, is_taken_by_a_process_that_begins) {
  keep(shares(), plan_choice::cut);
  lf::tune_detail::forget();
  EXPECT_EQ(lf::tuning::size(), 1);
  EXPECT_EQ(kernels_of(shares()), 2);
  keep(shares(), plan_choice::rows);
  lf::tune_detail::forget();
  EXPECT_EQ(lf::tuning::size(), 1);
  EXPECT_EQ(kernels_of(shares()), 1);
  const lf::tuned found = lf::tune(shares());
  lf::tune_detail::forget();
  EXPECT_EQ(kernels_of(shares()), found.plan == std::string("cut") ? 2 : 1);
  EXPECT_EQ(files().size(), 1u);
}

/// Whether the test of that name holds in a process of its own, which has this one's environment.
bool holds_elsewhere(const char* name) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string filter = std::string("--gtest_filter=*") + name;
    ::execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    ::_exit(2);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}
TEST(elsewhere, DISABLED_two_kernels_run) { EXPECT_EQ(kernels_of(shares()), 2); }
TEST(elsewhere, DISABLED_one_kernel_runs) { EXPECT_EQ(kernels_of(shares()), 1); }
TEST(elsewhere, DISABLED_it_is_tuned) { keep(shares(), plan_choice::cut); }
TEST_F(tuning_on_disk, is_taken_by_another_process) {
  EXPECT_TRUE(holds_elsewhere("one_kernel_runs"));
  EXPECT_TRUE(holds_elsewhere("it_is_tuned"));
  EXPECT_TRUE(holds_elsewhere("two_kernels_run"));
  EXPECT_EQ(kernels_of(shares()), 2);
  lf::tuning::clear();
  EXPECT_TRUE(holds_elsewhere("one_kernel_runs"));
}

TEST_F(tuning_on_disk, is_read_once_and_only_where_there_is_a_choice) {
  keep(shares(), plan_choice::cut);
  const auto known = load_findings(folder);
  lf::tuning::clear();
  EXPECT_EQ(load_findings(folder), nothing);
  const auto put_back = [&] {
    for (const auto& [key, choice] : known) store_finding(folder, key, choice);
  };
  lf::tune_detail::forget();
  EXPECT_EQ(kernels_of(operand() * 2 + 1), 1);
  EXPECT_EQ(kernels_of(lf::sum(operand(), axis<1>)), 1);
  put_back();
  EXPECT_EQ(kernels_of(shares()), 2) << "it was not read before";
  lf::tuning::clear();
  lf::tune_detail::forget();
  EXPECT_EQ(kernels_of(shares()), 1);
  put_back();
  EXPECT_EQ(kernels_of(shares()), 1) << "it is not read again";
}

TEST_F(tuning_on_disk, changes_what_is_remembered_when_it_is_read_and_not_before) {
  keep(shares(), plan_choice::cut);
  const auto known = load_findings(folder);
  lf::tuning::clear();
  lf::tune_detail::forget();
  const unsigned unread = lf::tune_detail::changes();
  for (const auto& [key, choice] : known) store_finding(folder, key, choice);
  EXPECT_EQ(kernels_of(operand() * 2 + 1), 1);
  EXPECT_EQ(lf::tune_detail::changes(), unread);
  EXPECT_EQ(kernels_of(shares()), 2) << "the number of changes had not been read from there";
  EXPECT_NE(lf::tune_detail::changes(), unread) << "what was planned before is planned again";
  lf::tuning::clear();
  lf::tune_detail::forget();
  const unsigned empty = lf::tune_detail::changes();
  EXPECT_EQ(kernels_of(shares()), 1);
  EXPECT_EQ(lf::tune_detail::changes(), empty) << "there was nothing to read";
}

TEST_F(tuning_on_disk, forgets_there_what_is_cleared) {
  keep(shares(), plan_choice::cut);
  lf::tuning::clear();
  EXPECT_EQ(lf::tuning::size(), 0);
  EXPECT_TRUE(files().empty());
  lf::tune_detail::forget();
  EXPECT_EQ(lf::tuning::size(), 0);
  keep(shares() + 1.0f, plan_choice::cut);
  lf::tune_detail::forget();
  EXPECT_EQ(lf::tuning::size(), 1) << "what was cleared does not come back";
}

TEST_F(tuning_on_disk, is_of_one_machine_and_compiler) {
  keep(shares(), plan_choice::cut);
  const std::string key = load_findings(folder).begin()->first;
  const std::string model = lf::host_detail::processor_name(),
                    threads = " " + std::to_string(lf::host_detail::thread_count()) + "\n";
  const struct {
    const char* what;
    std::string from, to;
  } others[] = {{"processor", model, "another model"},
                {"number of threads", threads, " 1000\n"},
                {"compiler", __VERSION__, "0.1"},
                {"instructions", "\nhost ", " avx10\nhost "},
                {"space", "\nhost ", "\ncuda "}};
  for (const auto& [what, from, to] : others) {
    lf::tuning::clear();
    std::string changed = key;
    ASSERT_NE(key.find(from), std::string::npos) << what << " of " << key;
    store_finding(folder, changed.replace(key.find(from), from.size(), to), plan_choice::cut);
    lf::tune_detail::forget();
    EXPECT_EQ(lf::tuning::size(), 1) << what;
    EXPECT_EQ(kernels_of(shares()), 1) << what;
    store_finding(folder, key, plan_choice::cut);
    lf::tune_detail::forget();
    EXPECT_EQ(lf::tuning::size(), 2) << what;
    EXPECT_EQ(kernels_of(shares()), 2) << what;
  }
}

TEST_F(tuning_on_disk, tells_what_the_compiler_says_of_itself) {
  using lf::planning::compilation, lf::planning::literal, lf::planning::this_compilation;
  const std::string text = this_compilation::text;
  EXPECT_TRUE(text.starts_with(__VERSION__));
#ifdef __OPTIMIZE__
  EXPECT_NE(text.find(" optimising"), std::string::npos) << text;
#else
  EXPECT_EQ(text.find(" optimising"), std::string::npos) << text;
#endif
#ifdef __AVX2__
  EXPECT_NE(text.find(" avx2"), std::string::npos) << text;
#else
  EXPECT_EQ(text.find(" avx2"), std::string::npos) << text;
#endif
  keep(shares(), plan_choice::cut);
  EXPECT_NE(load_findings(folder).begin()->first.find("\n" + text + "\n"), std::string::npos);
  EXPECT_STREQ(compilation<literal("1.2")>::text, "1.2");
  EXPECT_STREQ(compilation<literal("1.2 nvcc ", 1300)>::text, "1.2 nvcc 1300");
}

TEST_F(tuning_on_disk, trusts_no_file_that_was_changed_at_any_byte_or_is_shorter_or_longer) {
  store_finding(folder, "key", plan_choice::cut);
  const std::string text = text_of(file());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write(file(), damaged);
    EXPECT_EQ(load_findings(folder), nothing) << "byte " << i;
    write(file(), text.substr(0, i));
    EXPECT_EQ(load_findings(folder), nothing) << "without byte " << i;
  }
  write(file(), text + " ");
  EXPECT_EQ(load_findings(folder), nothing);
  store_finding(folder, "another key", plan_choice::rows);
  EXPECT_EQ(load_findings(folder), (findings{{"another key", plan_choice::rows}})) << "it is written again";
}

TEST_F(tuning_on_disk, trusts_nothing_that_others_could_have_written) {
  const findings one{{"key", plan_choice::cut}};
  store_finding(folder, "key", plan_choice::cut);
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(load_findings(folder), nothing);
  store_finding(folder, "key", plan_choice::cut);
  EXPECT_EQ(load_findings(folder), one) << "it is replaced";
  fs::permissions(folder, fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(load_findings(folder), nothing);
  store_finding(folder, "another key", plan_choice::cut);
  fs::permissions(folder, fs::perms::group_write, fs::perm_options::remove);
  EXPECT_EQ(load_findings(folder), one) << "nothing is written there";
  const fs::path elsewhere = fs::path(folder).parent_path() / "elsewhere", here = file();
  fs::rename(here, elsewhere);
  fs::create_symlink(elsewhere, here);
  EXPECT_EQ(load_findings(folder), nothing) << "through a link";
}

TEST_F(tuning_on_disk, is_known_to_this_process_alone_where_nothing_can_be_kept) {
  write(fs::path(folder).parent_path() / "file", "");
  const std::string below_a_file = (fs::path(folder).parent_path() / "file" / "folder").string();
  for (const std::string& nowhere : {std::string("off"), below_a_file, std::string("/proc/lazyfuse")}) {
    begin_in(nowhere);
    keep(shares(), plan_choice::cut);
    EXPECT_EQ(kernels_of(shares()), 2) << nowhere;
    lf::tune_detail::forget();
    EXPECT_EQ(lf::tuning::size(), 0) << nowhere;
    EXPECT_EQ(kernels_of(shares()), 1) << nowhere;
    lf::tuning::clear();
    EXPECT_FALSE(fs::exists(nowhere));
  }
}

TEST_F(tuning_on_disk, loses_nothing_where_several_processes_and_threads_write) {
  constexpr int writers = 4, each = 25;
  const auto write_some = [&](int writer) {
    for (int i = 0; i < each; ++i) {
      store_finding(folder, "key " + std::to_string(writer) + " " + std::to_string(i), plan_choice::cut);
      if (load_findings(folder).empty()) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_some(w) ? 0 : 1);
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  threads.reserve(writers);
  std::vector<char> right(writers);
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] { right[static_cast<std::size_t>(w)] = write_some(writers + w) ? 1 : 0; });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, std::vector<char>(writers, 1));
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(load_findings(folder).size(), std::size_t{2 * writers * each});
  EXPECT_EQ(files().size(), 1u) << "nothing is left half written";
}

TEST_F(tuning_on_disk, begins_anew_when_it_is_full) {
  for (int i = 0; i < 4; ++i) store_finding(folder, "key " + std::to_string(i), plan_choice::cut, 3);
  EXPECT_EQ(load_findings(folder), (findings{{"key 3", plan_choice::cut}}));
}

TEST_F(tuning_on_disk, begins_anew_before_it_is_too_large_to_be_read) {
  const std::string half(lf::tune_detail::most_bytes / 2, 'x');
  store_finding(folder, half, plan_choice::cut);
  const findings last{{"y" + half, plan_choice::rows}};
  store_finding(folder, "y" + half, plan_choice::rows);
  EXPECT_TRUE(load_findings(folder) == last);
  store_finding(folder, half + half, plan_choice::cut);
  EXPECT_TRUE(load_findings(folder) == last) << "what is too large alone is not kept";
}

}  // namespace
