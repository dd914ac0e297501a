// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of kernels.
#include "backend/cuda/jit/source.hpp"

#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/parameters.hpp"
#include "program/spelling.hpp"

#include <lazyfuse/program/folded.hpp>
#include <lazyfuse/program/table.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {
/// What is behind "T = " in "... [with T = lazyfuse::random_source<...>]".
std::string_view type_in(std::string_view spelling) {
  const auto from = spelling.find("T = ") + 4;
  return spelling.substr(from, spelling.rfind(']') - from);
}
}  // namespace

std::string short_folding_of(const exact_plan& p, int i) {
  // A bundle has one kernel for all positions, and is all there is without a compiler.
  const char* const spelling = p.type_of(i).spelling;
  if (!spelling || packs_at_the_end() || !has_compiler()) return {};
  const std::string_view type = type_in(spelling);
  const operand_info& o = p.operand(i);
  constexpr index_t end = index_t{1} << 31;
  const auto named = [](ir::folding how) {
    return "lazyfuse::ir::short_folded<lazyfuse::ir::folding(" + std::to_string(static_cast<int>(how)) + ")>";
  };
  if (type == "lazyfuse::ir::folded") {
    const ir::folded& f = *static_cast<const ir::folded*>(o.place);
    index_t least = f.origin + f.ahead, last = least;
    for (int k = 0; k < p.rank; ++k) (o.steps[k] < 0 ? least : last) += (p.extents[k] - 1) * o.steps[k];
    if (least < (f.how == ir::folding::nearest ? -end : 0) || last >= end) return {};
    if (f.less != 0 && (f.extent >= end || f.less >= end)) return {};  // else what is negative is beyond all others
    return named(f.how);
  }
  // Indices that others are gathered by: of what is repeated along both axes.
  using table = ir::table<ir::folded, 1, ir::beyond::error>;
  if (!type.starts_with(
          "lazyfuse::ir::constant<lazyfuse::ir::table<lazyfuse::ir::folded, 1, lazyfuse::ir::beyond::error>"))
    return {};
  const ir::folded& f = static_cast<const ir::constant<table>*>(o.place)->value.source;
  index_t positions = 0;
  if (f.how != ir::folding::quotient || f.less != 0 || __builtin_mul_overflow(f.extent, f.by.value, &positions) ||
      positions > end)
    return {};
  return "lazyfuse::ir::constant<lazyfuse::ir::table<" + named(f.how) + ", 1, lazyfuse::ir::beyond::error>>";
}
std::string spelling_of(const operand_type& type) {
  return type.spelling ? std::string(type_in(type.spelling)) : ir::spelling_of(type.kind, type.element);
}
std::string spelling_of_result(const kernel_type& type, int i) {
  const char* const memory = type.result_spellings[i];
  return memory ? "typename " + std::string(type_in(memory)) + "::value_type" : ir::spelling_of(type.results[i]);
}
std::string sources_of(const exact_plan& p) {
  std::string text;
  for (int i = 0; i < p.count; ++i) {
    const std::string folded = short_folding_of(p, i);
    text += (i > 0 ? ", " : "") + (folded.empty() ? spelling_of(p.type_of(i)) : folded);
  }
  return text;
}
std::string short_foldings_of(const exact_plan& p) {
  std::string text;
  for (int i = 0; i < p.count; ++i)
    if (const std::string folded = short_folding_of(p, i); !folded.empty()) text += std::to_string(i) + folded;
  return text;
}
std::string results_of(const exact_plan& p) {
  std::string text;
  for (int i = 0; i < p.type().targets; ++i) text += (i > 0 ? ", " : "") + spelling_of_result(p.type(), i);
  return text;
}

namespace {

/// What the host writes of operands and targets, which the compiler compares with its own layout.
std::size_t bound_bytes(const exact_plan& p, int operand_axes, int target_axes) {
  parameters bound;
  put_bound(bound, p, 0, operand_axes, target_axes);
  return bound.size();
}

/// Element types that kernels without them only declare (cmake/carried_headers.cmake).
struct element_header {
  std::string_view name, header;
};
constexpr element_header headers_of_elements[] = {{"complex<", "lazyfuse/core/complex.hpp"},
                                                  {"half", "lazyfuse/core/half.hpp"},
                                                  {"bfloat16", "lazyfuse/core/half.hpp"},
                                                  {"vec<", "lazyfuse/core/vec.hpp"}};

/// The headers of what a program computes, and of elements that the names of types say: reading those of all operations
/// takes longer than the rest of the source.
std::string headers_of(const ir::program_graph& graph, const std::string& kernel, std::string_view types) {
  constexpr std::string_view all = "lazyfuse/op/registry.hpp";
  std::set<std::string_view> headers;
  if (kernel.starts_with("row_") || kernel.starts_with("column_"))
    headers.insert("lazyfuse/op/rewritten.hpp");          // divisions by what rows share
  if (!graph.definitions().empty()) headers.insert(all);  // those may compute with any
  if (graph.aliases().find("exact_operation") != std::string::npos) headers.insert("lazyfuse/op/rule.hpp");
  for (const std::string& name : graph.named_operations()) {
    const auto known = headers_of_operations.find(name);
    headers.insert(known == headers_of_operations.end() ? all : known->second);
  }
  const std::string names = std::string(types) + graph.definitions() + graph.aliases();
  for (const element_header& element : headers_of_elements)
    if (names.find(element.name) != std::string::npos) headers.insert(element.header);
  constexpr std::string_view ours = "lazyfuse::";
  for (auto at = types.find(ours); at != types.npos; at = types.find(ours, at)) {
    at += ours.size();
    const std::string_view name =
        types.substr(at, types.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at) - at);
    if (const auto known = headers_of_operations.find("op::" + std::string(name)); known != headers_of_operations.end())
      headers.insert(known->second);
  }
  std::string text;
  for (const std::string_view header : headers) text.append("#include <").append(header).append(">\n");
  return text;
}

bool names_loops(const ir::program_graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const ir::program_node& n) { return n.type.starts_with("iterated<"); });
}

/// The headers of a kernel, and of what it computes of what.
std::string headers_for(const exact_plan& p, const ir::program_graph& graph, const std::string& header) {
  const std::string sources = sources_of(p), results = results_of(p);
  const bool maps = sources.find("remapped<") != std::string::npos,
             batches = sources.find("batch") != std::string::npos,
             windows = sources.find("windowed<") != std::string::npos,
             tables = sources.find("table<") != std::string::npos, draws = sources.find("random") != std::string::npos;
  return headers_of(graph, header, sources + results) + "#include <lazyfuse/backend/cuda/kernels/" + header +
         ".cuh>\n" + (maps ? "#include <lazyfuse/program/remapped.hpp>\n" : "") +
         (names_loops(graph) ? "#include <lazyfuse/program/iterated.hpp>\n" : "") +
         (batches ? "#include <lazyfuse/program/batched.hpp>\n" : "") +
         (windows ? "#include <lazyfuse/program/windowed.hpp>\n" : "") +
         (tables ? "#include <lazyfuse/program/folded.hpp>\n#include <lazyfuse/program/table.hpp>\n" : "") +
         (draws ? "#include <lazyfuse/random/distributions.hpp>\n" : "");
}
constexpr const char* opening = R"(namespace lazyfuse {
namespace cuda_detail {
template <int... N>
__device__ int choices;
}
namespace made {
using namespace ir;
)";
/// The program, and its operands and targets over so many axes.
std::string text_of_program(const exact_plan& p, const ir::program_graph& graph, int operand_axes, int target_axes) {
  const std::string sources = sources_of(p), results = results_of(p);
  std::string programs;
  for (const int root : graph.roots) programs += (programs.empty() ? "p" : ", p") + std::to_string(root);
  return graph.aliases() + "using program = schedule<list<" + programs + ">>;\nusing sources = list<" + sources +
         ">;\nusing types = list<" + results + ">;\nusing operands = operand_pack<" + std::to_string(operand_axes) +
         ", " + sources + ">;\nusing targets = target_pack<" + std::to_string(target_axes) + ", " + results +
         ">;\nstatic_assert(sizeof(cuda_detail::bound_to<operands, targets>) == " +
         std::to_string(bound_bytes(p, operand_axes, target_axes)) + ");\n";
}
/// A source without its end; what reads stages is rewritten where it is compiled, and for that as it was written.
std::string beginning_as_written(const exact_plan& p, const ir::program_graph& graph, const std::string& header,
                                 int operand_axes, int target_axes) {
  return headers_for(p, graph, header) + graph.definitions() + opening +
         text_of_program(p, graph, operand_axes, target_axes);
}
std::string beginning(const exact_plan& p, ir::program_graph graph, const std::string& header, int operand_axes,
                      int target_axes) {
  if (!header.starts_with("row_") && !header.starts_with("column_")) graph.write_in_steps();
  return beginning_as_written(p, graph, header, operand_axes, target_axes);
}
/// That numbers follow what is bound.
std::string layout_check(const std::string& numbers) {
  return "static_assert(sizeof(parameters) == sizeof(cuda_detail::bound_to<operands, targets>) + sizeof(cuda_detail::" +
         numbers + "));\n";
}
constexpr const char* ending = "}\n}\n";
const std::string here = "lazyfuse::made::", share = here + "shares::";

}  // namespace

kernel_source transform_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                               const std::string& facts) {
  const bool flat = path == "flat", turned = path == "turned";
  const int axes = flat ? 1 : p.rank;
  const std::string rank = std::to_string(p.rank);
  kernel_source s;
  s.text = beginning(p, graph, flat ? "flat" : "strided", axes, axes) +
           "using shares = cuda_detail::transform_shares<program, sources, types>;\nusing enum "
           "cuda_detail::along_inner;\nusing parameters = cuda_detail::" +
           (flat ? "flat_parameters<operands, targets, " : "strided_parameters<operands, targets, " + rank + ", ") +
           facts + ">" + ";\n" + layout_check(flat ? "flat_numbers" : "strided_numbers<" + rank + ">") + ending;
  const std::string load = share + path;
  s.kernel = std::string("lazyfuse::cuda_detail::transform_") + (flat ? "flat" : "strided") + "<" + here + "program, " +
             here + "sources, " + here + "types, " + (flat ? "" : rank + ", ") + load + ".width, " + load + ".depth, " +
             (flat     ? ""
              : turned ? "lazyfuse::cuda_detail::turning::always, "
                       : "lazyfuse::cuda_detail::turning::never, ") +
             here + "parameters>";
  s.choices = {share + "flat.width", share + "flat.depth", share + "strided.depth", share + "turned.width",
               share + "turned.depth"};
  return s;
}

kernel_source parts_source(const std::vector<planned_part>& parts, std::size_t bytes) {
  ir::program_graph all;
  std::string headers, programs, kernel;
  kernel_source s;
  s.choices = {"0", "0", "0", "0", "0"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const exact_plan& p = *parts[i].plan;
    ir::program_graph graph = *parts[i].graph;
    graph.write_in_steps();
    const bool flat = p.rank == 1;
    const std::string name = "part" + std::to_string(i), rank = std::to_string(p.rank);
    const std::string load = flat ? "shares::flat" : "shares::strided";
    headers += headers_for(p, graph, "transform_parts");
    programs +=
        "namespace " + name + " {\n" + text_of_program(p, graph, p.rank, p.rank) +
        "using shares = cuda_detail::transform_shares<program, sources, types>;\nusing parameters = cuda_detail::" +
        (flat ? "flat_parameters<operands, targets>" : "strided_parameters<operands, targets, " + rank + ">") + ";\n" +
        layout_check(flat ? "flat_numbers" : "strided_numbers<" + rank + ">") +
        "using part = cuda_detail::transform_part<program, sources, types, " + rank + ", " + load + ".width, " + load +
        ".depth, parameters>;\n}\n";
    kernel += (i > 0 ? ", " : "") + here + name + "::part";
    for (const char* const n : {"flat.width", "flat.depth", "strided.depth", "turned.width", "turned.depth"})
      s.reads.push_back(here + name + "::shares::" + n);
    all.nodes.insert(all.nodes.end(), graph.nodes.begin(), graph.nodes.end());
  }
  s.text = headers + all.definitions() + opening + programs + ending +
           "static_assert(sizeof(lazyfuse::cuda_detail::parts_parameters<" + kernel + ">) == " + std::to_string(bytes) +
           ");\n";
  s.kernel = "lazyfuse::cuda_detail::transform_parts<" + kernel + ">";
  return s;
}

kernel_source unravelled_source(const exact_plan& p, const ir::program_graph& graph, const std::string& facts,
                                bool reads_dense) {
  const std::string rank = std::to_string(p.rank), of_thread = share + (reads_dense ? "flat" : "unread");
  kernel_source s;
  s.text = beginning(p, graph, "unravelled", p.rank, p.rank) +
           "using shares = cuda_detail::transform_shares<program, sources, types>;\nusing parameters = "
           "cuda_detail::unravelled_parameters<operands, targets, " +
           rank + ", " + facts + ">;\n" + layout_check("unravelled_numbers<" + rank + ">") + ending;
  s.kernel = "lazyfuse::cuda_detail::transform_unravelled<" + here + "program, " + here + "sources, " + here +
             "types, " + rank + ", " + of_thread + ".width, " + of_thread + ".depth, " + here + "parameters>";
  s.choices = {of_thread + ".width", of_thread + ".depth", "0", "0", "0"};
  return s;
}

kernel_source packed_source(const exact_plan& p, const ir::program_graph& graph) {
  kernel_source s;
  s.text = beginning(p, graph, "packed", 1, 1) +
           "using shares = cuda_detail::packed_shares<program, sources, types>;\nusing parameters = "
           "cuda_detail::packed_parameters<operands, targets>;\n" +
           layout_check("packed_numbers") + ending;
  s.kernel = "lazyfuse::cuda_detail::transform_packed<" + here + "program, " + here + "sources, " + here + "types, " +
             share + "share.width, " + share + "share.depth, " + here + "parameters>";
  s.choices = {share + "share.width", share + "share.depth", "0", "0", "0"};
  return s;
}

kernel_source packed_rows_source(const exact_plan& p, const ir::program_graph& graph) {
  kernel_source s;
  s.text = beginning(p, graph, "row_packed", 1, 1) +
           "using rows = staged_off_chip_t<staged<typename program::simplified, sources>>;\nusing shares = "
           "cuda_detail::packed_row_shares<rows, sources, types>;\nusing parameters = "
           "cuda_detail::packed_row_parameters<operands, targets>;\n" +
           layout_check("packed_row_numbers") + ending;
  s.kernel = "lazyfuse::cuda_detail::rows_packed<" + here + "rows, " + here + "sources, " + here + "types, " + share +
             "width, " + share + "depth, " + here + "parameters>";
  s.choices = {share + "width", share + "depth", share + "round_bytes", share + "merge_bytes", "0"};
  return s;
}

kernel_source stencil_source(const exact_plan& p, const ir::program_graph& graph, const std::string& points, int most) {
  const std::string rank = std::to_string(p.rank);
  kernel_source s;
  s.text = beginning(p, graph, "stencil", p.rank, p.rank) + "struct points {\n" + points +
           "};\nusing parameters = cuda_detail::stencil_parameters<operands, targets, " + rank + ">;\n" +
           layout_check("stencil_numbers<" + rank + ">") +
           "constexpr operands* all = nullptr;\nconstexpr int depth = cuda_detail::stencil_depth<program, points, " +
           std::to_string(most) + ">(all), residents = cuda_detail::stencil_residents<program, points, depth>(all);\n" +
           ending;
  s.kernel = "lazyfuse::cuda_detail::transform_stencil<" + here + "program, " + here + "points, " + rank + ", " + here +
             "depth, " + here + "residents, " + here + "parameters>";
  s.choices = {here + "depth", "0", "0", "0", "0"};
  return s;
}

kernel_source reduce_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                            const std::string& facts, int width) {
  const std::string axes = std::to_string(p.kept) + ", " + std::to_string(p.rank), header = "reduce_" + path,
                    of_thread = width > 0 ? std::to_string(width) : share + "width";
  const bool staged = graph.has_stages();
  kernel_source s;
  s.text =
      (staged ? "#include <lazyfuse/program/one_pass.hpp>\n" + beginning_as_written(p, graph, header, p.rank, p.kept) +
                    "using all = in_one_pass<typename program::simplified, sources>::type;\n"
              : beginning(p, graph, header, p.rank, p.kept) + "using all = program;\n") +
      "using set = reduction_set<typename reductions_of<typename all::roots>::type, sources>;\n"
      "using shares = cuda_detail::reduce_shares<set, sources>;\n"
      "using enum cuda_detail::along_inner;\nusing parameters = cuda_detail::reduce_parameters<operands, targets, " +
      axes + ", cuda_detail::" + facts + ">;\n" + layout_check("reduce_numbers<" + axes + ">") + ending;
  s.kernel = "lazyfuse::cuda_detail::reduce_" + path + "<" + here + "set, " + here + "all, " + here + "sources, " +
             axes + ", " + of_thread + ", " + share + "by_" + path + ".depth, " + here + "parameters>";
  s.choices = {of_thread, share + "by_rows.depth", share + "by_columns.depth", "sizeof(" + here + "set::accumulators)",
               "0"};
  return s;
}

kernel_source tile_source(const exact_plan& p, const ir::program_graph& graph, const std::string& how, int batch,
                          const std::string& facts) {
  const std::string axes = std::to_string(batch), tiling = "cuda_detail::tiling::" + how;
  kernel_source s;
  s.text = beginning(p, graph, "tiles", p.rank, p.kept) + "using shares = cuda_detail::tile_shares<" + tiling +
           ", program, sources>;\nusing parameters = cuda_detail::tile_parameters<operands, targets, " + axes +
           ", cuda_detail::tile_facts<" + facts + ">>;\n" + layout_check("tile_numbers<" + axes + ">") + ending;
  const std::string kernel = "lazyfuse::" + tiling + ", " + here + "program, " + here + "sources, " +
                             std::to_string(batch) + ", " + here + "parameters>";
  s.kernel = "lazyfuse::cuda_detail::reduce_tiles<" + kernel;
  s.choices = {share + "tile_rows", share + "tile_columns", share + "partial_bytes",
               "lazyfuse::cuda_detail::tile_bytes<" + kernel, "0"};
  return s;
}

namespace {
kernel_source turned_source(const exact_plan& p, const ir::program_graph& graph, const std::string& header, int batch,
                            const std::string& kept, bool small, const std::string& facts, const std::string& sets) {
  const std::string axes = std::to_string(batch) + ", " + std::to_string(p.rank - 2 - batch);
  kernel_source s;
  s.text = beginning(p, graph, header, p.rank, p.kept) + "constexpr auto kept = cuda_detail::kept_axes::" + kept +
           ";\n" + sets + "using parameters = cuda_detail::turned_parameters<operands, targets, " + axes + ", kept, " +
           (small ? "true" : "false") + ", cuda_detail::tile_facts<" + facts + ">>;\n" +
           layout_check("turned_numbers<" + axes + ">") + ending;
  s.choices = {here + "depth", "0", "0", "0", "0"};
  return s;
}
}  // namespace

kernel_source reduce_turned_source(const exact_plan& p, const ir::program_graph& graph, int batch,
                                   const std::string& kept, bool small, const std::string& facts) {
  kernel_source s =
      turned_source(p, graph, "reduce_turned", batch, kept, small, facts,
                    "using set = reduction_set<typename reductions_of<typename program::roots>::type, sources>;\n"
                    "constexpr int depth = cuda_detail::reduced_depth<set, sources, kept>;\n");
  s.kernel = "lazyfuse::cuda_detail::reduce_turned<" + here + "set, " + here + "program, " + here + "sources, " + here +
             "depth, " + here + "parameters>";
  s.choices[1] = "sizeof(" + here + "set::accumulators)";
  return s;
}

kernel_source transform_turned_source(const exact_plan& p, const ir::program_graph& graph, int batch, bool small,
                                      const std::string& facts) {
  kernel_source s = turned_source(p, graph, "transform_turned", batch, "both", small, facts,
                                  "constexpr int depth = cuda_detail::turned_depth<program, sources>;\n");
  s.kernel = "lazyfuse::cuda_detail::transform_turned<" + here + "program, " + here + "sources, " + here + "types, " +
             here + "depth, " + here + "parameters>";
  return s;
}

namespace {
/// The parameters of a kernel of strips, and the end of its source.
std::string strips_of(const std::string& numbers, const strip_facts& facts) {
  return "using enum cuda_detail::strip_step;\nusing parameters = cuda_detail::strip_parameters<operands, targets, "
         "cuda_detail::" +
         numbers + facts.steps + ">;\n" + layout_check(numbers) + ending;
}
constexpr const char* scans_of_program =
    "template <class>\nstruct scans_of;\ntemplate <class... P>\nstruct scans_of<list<P...>> {\n"
    "  using type = typename reductions_detail::find_all<false, list<>, P...>::type;\n};\n"
    "using set = scan_set<typename scans_of<typename program::roots>::type, sources>;\n";
}  // namespace

kernel_source scan_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                          const std::string& facts, int most_single) {
  const std::string of_thread =
      share + (most_single > 0 ? "single<" + std::to_string(most_single) + ">" : std::string("share"));
  const std::string kept = std::to_string(p.kept);
  kernel_source s;
  s.text = beginning(p, graph, path == "scan_columns" ? path : "scan_rows", p.rank, p.rank) + scans_of_program +
           "using shares = cuda_detail::scan_shares<set, program, sources, types>;\n"
           "using parameters = cuda_detail::scan_parameters<operands, targets, " +
           kept + ", " + facts + ">;\n" + layout_check("scan_numbers<" + kept + ">") + ending;
  s.kernel = "lazyfuse::cuda_detail::" + path + "<" + here + "set, " + here + "program, " + here + "sources, " + here +
             "types, " + std::to_string(p.rank) + ", " + of_thread + ".width, " + of_thread + ".depth, " + here +
             "parameters>";
  s.choices = {of_thread + ".width", of_thread + ".depth", share + "accumulators", "0", "0"};
  return s;
}

kernel_source scan_strips_source(const exact_plan& p, const ir::program_graph& graph, bool of_columns,
                                 const strip_facts& facts) {
  const std::string axes = std::to_string(p.kept) + ", " + std::to_string(p.rank),
                    numbers = (of_columns ? "column_numbers<" : "row_strip_numbers<") + axes + ">";
  kernel_source s;
  s.text = beginning(p, graph, "scan_strips", p.rank, p.rank) + scans_of_program + strips_of(numbers, facts);
  s.kernel = std::string("lazyfuse::cuda_detail::scan_") + (of_columns ? "columns" : "rows") + "_in_strips<" + here +
             "set, " + here + "program, " + here + "sources, " + here + "types, " + axes + ", " + facts.share + ", " +
             here + "parameters>";
  s.choices = {"0", "0", "0", "0", "0"};
  return s;
}

kernel_source select_source(const exact_plan& p, const ir::program_graph& graph) {
  const std::string rank = std::to_string(p.rank);
  kernel_source s;
  s.text = beginning(p, graph, "select", p.rank, 1) +
           "using shares = cuda_detail::select_shares<program, sources, types>;\n"
           "using parameters = cuda_detail::select_parameters<operands, targets, " +
           rank + ">;\n" + layout_check("select_numbers<" + rank + ">") + ending;
  s.kernel = "lazyfuse::cuda_detail::select_tiles<" + here + "program, " + here + "sources, " + here + "types, " +
             rank + ", " + share + "share.width, " + share + "share.depth, " + here + "parameters>";
  s.choices = {share + "share.width", share + "share.depth", "0", "0", "0"};
  return s;
}

kernel_source rows_source(const exact_plan& p, const ir::program_graph& graph, bool one_vector,
                          const std::string& facts) {
  const std::string outer = std::to_string(p.kept);
  kernel_source s;
  s.text = beginning(p, graph, "row_registers", p.rank, p.rank) +
           "using rows = staged_on_chip_t<staged<typename program::simplified, sources>>;\n"
           "constexpr int width = cuda_detail::width_for(sources{}, types{});\n"
           "constexpr int held = cuda_detail::register_elements<rows>(sources{}, make_index_sequence<sources::size>{}, "
           "width);\nusing parameters = cuda_detail::register_parameters<operands, targets, " +
           outer + ">;\n" + layout_check("register_numbers<" + outer + ">") + ending;
  const std::string width = here + "width", held = here + "held";
  s.kernel = "lazyfuse::cuda_detail::rows_in_registers<" + here + "rows, " + here + "sources, " + here + "types, " +
             (one_vector ? "false, " : "true, ") + outer + ", " + std::to_string(p.rank) + ", " + width + ", " +
             (one_vector ? "1" : held + " / " + width) + ", " + here +
             "parameters, lazyfuse::cuda_detail::whole_rows::" + facts + ">";
  s.choices = {width, held, "0", "0", "0"};
  return s;
}

namespace {
/// `kernel`, of `header`, of strips, whose parameters end with `numbers`.
kernel_source strips_source(const exact_plan& p, const ir::program_graph& graph, const std::string& header,
                            const std::string& kernel, const std::string& numbers, const std::string& axes,
                            const strip_facts& facts) {
  kernel_source s;
  const bool reduces = std::string_view(p.type().pattern) == "reduce" && !p.columns;
  s.text = beginning(p, graph, header, p.rank, reduces ? p.kept : p.rank) +
           "using strips = staged_on_chip_t<staged<typename program::simplified, sources>>;\n" +
           strips_of(numbers, facts);
  s.kernel = "lazyfuse::cuda_detail::" + kernel + "<" + here + "strips, " + here + "sources, " + here + "types, " +
             axes + ", " + facts.share + ", " + here + "parameters>";
  s.choices = {"0", "0", "0", "0", "0"};
  return s;
}
}  // namespace

kernel_source columns_source(const exact_plan& p, const ir::program_graph& graph, const strip_facts& facts) {
  const std::string axes = std::to_string(p.kept) + ", " + std::to_string(p.rank);
  return strips_source(p, graph, "column_registers", "columns_in_registers", "column_numbers<" + axes + ">", axes,
                       facts);
}

kernel_source row_strips_source(const exact_plan& p, const ir::program_graph& graph, const strip_facts& facts) {
  const std::string axes = std::to_string(p.kept) + ", " + std::to_string(p.rank);
  return strips_source(p, graph, "row_strips", "rows_in_strips", "row_strip_numbers<" + axes + ">", axes, facts);
}

kernel_source teams_source(const exact_plan& p, const ir::program_graph& graph, team_walk walk,
                           const std::string& passes) {
  const bool straight = walk != team_walk::anything;
  const std::string axes = std::to_string(p.kept) + ", " + std::to_string(p.rank);
  const std::string columns = p.columns ? "true" : "false";
  kernel_source s;
  s.text = beginning(p, graph, "row_team", p.rank, p.rank) +
           "using rows = " + (passes.empty() ? passes : "staged_" + passes + "_t<") +
           "staged<typename program::simplified, sources>" + (passes.empty() ? ";\n" : ">;\n") +
           "using shares = cuda_detail::team_shares<rows, sources, types, " + columns +
           (walk == team_walk::elements ? ", 1" : "") +
           ">;\nusing parameters = cuda_detail::row_parameters<operands, targets, " + axes + ">;\n" +
           layout_check("team_numbers<" + axes + ">") + ending;
  s.kernel = "lazyfuse::cuda_detail::rows_by_teams<" + here + "rows, " + here + "sources, " + here + "types, " +
             (straight ? "true, " : "false, ") + columns + ", " + axes + ", " + share + "width, " +
             (straight ? share + "depth, " + share + "held_steps, " : "1, 0, ") + here + "parameters>";
  s.choices = {share + "width", share + "accumulators", share + "held_steps", share + "depth", "0"};
  for (int i = 0; i < p.count; ++i) s.reads.push_back(share + "reads<" + std::to_string(i) + ">");
  return s;
}

}  // namespace lazyfuse::cuda_detail
