// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors and raw pointers change hands between streams: who takes waits for who gives, and memory is neither
// overwritten nor freed before both have done. Every test would fail now and then without that order.
#include "support/streams.cuh"

#include <lazyfuse/interop/dlpack.hpp>

namespace {

namespace dl = lf::dlpack;
using vector = lf::array<float, 1, lf::cuda>;
using test::many, test::slowly;

class dlpack_streams : public test::on<lf::cuda> {};

bool everywhere(const vector& x, float value) { return lf::all(x == value).item(); }

/// A kernel of one's own, or of another library.
__global__ void add(float* data, float value, std::int64_t n) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    data[i] += value;
}
__global__ void slow_copy(const float* from, float* to, std::int64_t n) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    to[i] = from[i];
}
void add_on(cudaStream_t s, float* data, float value) { add<<<64, 64, 0, s>>>(data, value, many); }
void slow_copy_on(cudaStream_t s, const float* from, float* to) { slow_copy<<<1, 64, 0, s>>>(from, to, many); }

TEST_F(dlpack_streams, who_takes_a_tensor_waits_until_it_is_computed) {
  test::stream a, b;
  vector copy(lf::shape{many});
  for (int run = 0; run < 5; ++run) {
    const vector x = lf::materialize(lf::on(a), slowly(lf::full({many}, float(run))));
    auto* const m = lf::to_dlpack(x, dl::stream(b));
    test::check(
        cudaMemcpyAsync(lf::data_on(b, copy), m->dl_tensor.data, many * sizeof(float), cudaMemcpyDeviceToDevice, b));
    m->deleter(m);
    EXPECT_TRUE(everywhere(copy, float(run))) << run;
  }
}
TEST_F(dlpack_streams, memory_is_not_freed_while_the_stream_that_took_it_reads_it) {
  test::stream a, b;
  for (int run = 0; run < 3; ++run) {
    vector copy(lf::shape{many});
    float* const to = lf::data_on(b, copy);
    {
      vector x = lf::materialize(lf::on(a), lf::full({many}, 1.0f) + 0);
      auto* const m = lf::to_dlpack(std::move(x), dl::stream(b));
      slow_copy_on(b, static_cast<const float*>(m->dl_tensor.data), to);
      m->deleter(m);  // as PyTorch does when its tensor goes: the kernel is still running
    }
    const vector y = lf::materialize(lf::on(a), lf::full({many}, -5.0f) + 0);
    EXPECT_TRUE(everywhere(copy, 1)) << run;
    EXPECT_TRUE(everywhere(y, -5)) << run;
  }
}
TEST_F(dlpack_streams, an_array_is_not_written_while_the_stream_that_took_it_reads_it) {
  test::stream a, b;
  vector copy(lf::shape{many});
  vector x = lf::materialize(lf::on(a), lf::full({many}, 1.0f) + 0);
  auto* const m = lf::to_dlpack(x, dl::stream(b));
  slow_copy_on(b, static_cast<const float*>(m->dl_tensor.data), lf::data_on(b, copy));
  m->deleter(m);
  lf::assign(lf::on(a), x, lf::zeros<float>({many}));
  EXPECT_TRUE(everywhere(copy, 1));
  EXPECT_TRUE(everywhere(x, 0));
}
TEST_F(dlpack_streams, the_default_streams_have_their_numbers) {
  vector copy(lf::shape{many});
  for (const dl::stream s : {dl::legacy, dl::per_thread}) {
    const cudaStream_t handle = s.number == 1 ? cudaStreamLegacy : cudaStreamPerThread;
    {
      const vector x = lf::materialize(slowly(lf::full({many}, 3.0f)));
      auto* const m = lf::to_dlpack(x, s);
      test::check(
          cudaMemcpyAsync(copy.data(), m->dl_tensor.data, many * sizeof(float), cudaMemcpyDeviceToDevice, handle));
      m->deleter(m);
    }
    test::check(cudaStreamSynchronize(handle));
    EXPECT_TRUE(everywhere(copy, 3));
    copy = lf::zeros<float>({many});
    lf::synchronize();
  }
  const vector x(lf::shape{4});
  EXPECT_THROW((void)lf::to_dlpack(x, dl::stream(std::intptr_t{0})), lf::borrow_error);
  EXPECT_THROW((void)lf::to_dlpack(x, dl::stream(cudaStream_t{nullptr})), lf::borrow_error);
  EXPECT_THROW((void)lf::to_dlpack(x, dl::stream(-2)), lf::borrow_error);
}

/// A tensor of another library over memory of its own, which it writes over, on its stream, as soon as it gets it back.
struct lent {
  cudaStream_t stream;
  float* data = nullptr;
  std::int64_t extent = many;
  int ended = 0;
  dl::managed_tensor_versioned managed{};

  explicit lent(cudaStream_t s) : stream(s) {
    test::check(cudaMallocAsync(&data, many * sizeof(float), stream));
    test::check(cudaMemsetAsync(data, 0, many * sizeof(float), stream));
    add_on(stream, data, 1);
    managed = {
        dl::version, this, end, 0, {data, {dl::device_type::cuda, 0}, 1, dl::type_of<float>, &extent, nullptr, 0}};
  }
  ~lent() { cudaFreeAsync(data, stream); }
  lent(const lent&) = delete;
  static void end(dl::managed_tensor_versioned* m) {
    auto* const self = static_cast<lent*>(m->manager_ctx);
    ++self->ended;
    test::check(cudaMemsetAsync(self->data, 0xff, many * sizeof(float), self->stream));
  }
};

TEST_F(dlpack_streams, a_tensor_is_read_when_the_stream_that_gives_it_has_computed_it) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    lent t(b);
    for (int n = 0; n < 20; ++n) add_on(b, t.data, 1);
    vector y;
    {
      const auto x = lf::from_dlpack<const float, 1, lf::cuda>(&t.managed, dl::stream(b));
      y = lf::materialize(lf::on(a), slowly(x) + 0);
    }
    EXPECT_EQ(t.ended, 1);  // told while stream a may still read; stream b waits for it
    EXPECT_TRUE(everywhere(y, 21)) << run;
  }
}
TEST_F(dlpack_streams, a_tensor_that_was_written_is_complete_for_its_owner) {
  test::stream a, b;
  lent t(b);
  vector copy(lf::shape{many});
  {
    const auto x = lf::from_dlpack<float, 1, lf::cuda>(&t.managed, dl::stream(b));
    lf::assign(lf::on(a), lf::into(x), slowly(x) + 1);
    lf::assign(lf::on(b), lf::into(x), x * 10);
    lf::assign(lf::on(a), copy, x);
  }
  EXPECT_EQ(t.ended, 1);
  EXPECT_TRUE(everywhere(copy, 20));
}
TEST_F(dlpack_streams, without_a_stream_the_host_waits_before_it_tells_the_owner) {
  test::stream a, b;
  for (const dl::stream s : {dl::no_sync, dl::per_thread}) {
    lent t(b);
    b.wait();
    vector y;
    {
      const auto x = lf::from_dlpack<const float, 1, lf::cuda>(&t.managed, s);
      y = lf::materialize(lf::on(a), slowly(x) + 0);
    }
    EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
    EXPECT_TRUE(everywhere(y, 1));
  }
  lent t(b);
  EXPECT_THROW((void)(lf::from_dlpack<float, 1, lf::cuda>(&t.managed, dl::stream(std::intptr_t{0}))), lf::borrow_error);
  t.managed.dl_tensor.device.id = 63;
  EXPECT_THROW((void)(lf::from_dlpack<float, 1, lf::cuda>(&t.managed, dl::stream(b))), lf::borrow_error);
  EXPECT_EQ(t.ended, 0);
}

TEST_F(dlpack_streams, a_kernel_of_ones_own_is_ordered_by_data_on) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    vector x = lf::materialize(lf::on(a), slowly(lf::full({many}, float(run))));
    const vector old = x;
    add_on(b, lf::data_on(b, x), 1);  // after the sines of stream a, and apart from old
    lf::assign(lf::on(a), x, x * 2);  // after the kernel
    vector copy(lf::shape{many});
    slow_copy_on(b, lf::data_on(b, std::as_const(x)), lf::data_on(b, copy));
    lf::assign(lf::on(a), x, lf::zeros<float>({many}));  // after it was copied
    EXPECT_TRUE(everywhere(copy, 2 * float(run + 1))) << run;
    EXPECT_TRUE(everywhere(old, float(run))) << run;
    EXPECT_TRUE(everywhere(x, 0)) << run;
  }
}

}  // namespace
