// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One file for all of them, since they are few and small: a process reads it once, and a finding replaces it whole.
#include "evaluate/findings.hpp"

#include "disk/folder.hpp"
#include "disk/sealed.hpp"

#include <lazyfuse/core/macros.hpp>

#include <unistd.h>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace lazyfuse::tune_detail {

namespace {

using namespace disk_detail;

/// Kernels of another version take other times.
std::string version() {
  return std::to_string(LAZYFUSE_VERSION_MAJOR) + "." + std::to_string(LAZYFUSE_VERSION_MINOR) + "." +
         std::to_string(LAZYFUSE_VERSION_PATCH);
}
std::string mark() { return "lazyfuse " + version() + " tuned 1\n"; }
std::string file_in(const std::string& folder) { return folder + "/" + version() + ".tuned"; }

constexpr const char *rows = "rows", *cut = "cut";

/// Keys and plans in turn.
std::string text_of(const findings& all) {
  std::vector<std::string> texts;
  for (const auto& [of, plan] : all) texts.insert(texts.end(), {of, plan == plan_choice::rows ? rows : cut});
  return sealed(mark(), texts);
}

}  // namespace

findings load_findings(const std::string& folder) {
  if (!is_own_folder(folder)) return {};
  const std::optional<std::string> text = read_own(file_in(folder), most_bytes);
  if (!text) return {};
  std::optional<std::vector<std::string>> texts = opened(mark(), *text);
  if (!texts || texts->size() % 2 != 0) return {};
  findings found;
  for (std::size_t i = 0; i < texts->size(); i += 2) {
    const std::string& plan = (*texts)[i + 1];
    if (plan != rows && plan != cut) return {};
    found.insert_or_assign(std::move((*texts)[i]), plan == rows ? plan_choice::rows : plan_choice::cut);
  }
  return found;
}

void store_finding(const std::string& folder, const std::string& key, plan_choice choice, std::size_t most) try {
  if (!make_own_folder(folder)) return;
  const folder_lock lock(folder);
  findings all = load_findings(folder);
  all.insert_or_assign(key, choice);
  std::string text = text_of(all);
  if (all.size() > most || text.size() > most_bytes) text = text_of({{key, choice}});
  if (text.size() <= most_bytes) write_whole(file_in(folder), text);
  remove_half_written(folder);
} catch (const std::exception&) {
}

void remove_findings(const std::string& folder) {
  if (!is_own_folder(folder)) return;
  const folder_lock lock(folder);  // or one that was read before would come back
  ::unlink(file_in(folder).c_str());
}

}  // namespace lazyfuse::tune_detail
