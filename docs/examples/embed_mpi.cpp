// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field that MPI's processes share, each some of its columns: the blocks of docs/howto/embed.md. As a test one
// process is its own neighbour on both sides; `mpiexec -n 4 embed_mpi` gives the same field.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <mpi.h>

#include <cmath>
#include <vector>

namespace lf = lazyfuse;
using lf::all, lf::range;

// [field]
/// Columns of a periodic field, with one of each neighbour's in front and behind.
struct field {
  int rows, columns;  ///< the latter with the two of the neighbours
  std::vector<double> values;

  auto view() { return lf::borrow(values.data(), {rows, columns}, {columns, 1}); }
};
// [field]

// [exchange]
/// Fetches the neighbours' columns. A column is not contiguous: lazyfuse packs it into a buffer, and unpacks it.
void exchange(field& f, MPI_Comm processes) {
  int me = 0, count = 1;
  MPI_Comm_rank(processes, &me);
  MPI_Comm_size(processes, &count);
  const int left = (me + count - 1) % count, right = (me + 1) % count;
  std::vector<double> sent(f.rows), received(f.rows);
  const auto t = f.view();
  const auto out = lf::borrow(sent), in = lf::borrow(received);
  const auto pass = [&](int from, int to, int first, int halo) {
    lf::into(out) = t(all, first);
    MPI_Sendrecv(sent.data(), f.rows, MPI_DOUBLE, to, 0, received.data(), f.rows, MPI_DOUBLE, from, 0, processes,
                 MPI_STATUS_IGNORE);
    lf::into(t(all, halo)) = in;
  };
  pass(right, left, 1, -1);
  pass(left, right, -2, 0);
}
// [exchange]

// [step]
/// One step of heat conduction, in one loop without temporaries; rows are fixed at both ends.
void step(field& now, field& next, double rate, MPI_Comm processes) {
  exchange(now, processes);
  const auto t = now.view();
  const auto inside = range(1, -1);
  const auto around =
      t(range(0, -2), inside) + t(range(2, lf::end), inside) + t(inside, range(0, -2)) + t(inside, range(2, lf::end));
  lf::into(next.view()(inside, inside)) = t(inside, inside) + rate * (around - 4 * t(inside, inside));
}
// [step]

// [total]
/// The heat of all processes: lazyfuse adds what this one has, MPI the rest.
double total(field& f, MPI_Comm processes) {
  const double mine = lf::sum(f.view()(all, range(1, -1))).item();
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, processes);
  return sum;
}
// [total]

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int me = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int width = 64 / processes, columns = width + 2;
  field now{32, columns, std::vector<double>(32 * columns)}, next = now;
  // A spot across the seam of a periodic field: it cannot spread without its neighbours.
  const auto position = lf::arange<double>(columns) + (me * width - 1);
  const auto row = lf::arange<double>(32)(all, lf::newaxis);
  lf::into(now.view()) = lf::exp(-lf::square(row - 15.5) / 8) * lf::square(lf::sin(position * (M_PI / 64)));
  const double before = total(now, MPI_COMM_WORLD);
  for (int k = 0; k < 50; ++k) {
    step(now, next, 0.2, MPI_COMM_WORLD);
    std::swap(now, next);
  }
  const double after = total(now, MPI_COMM_WORLD);
  expect(std::abs(after - before) < 0.01 * before && std::abs(before - 5.0132565 * 32) < 1e-3);
  MPI_Finalize();
}
