// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resources of cuda::mr, which CCCL 3.0 still calls experimental, give arrays their memory: directly and by reference.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include "support/arrays.hpp"

#include <cuda/memory_resource>

namespace resources {

/// Stream-ordered memory as cuda::mr asks for it.
struct asynchronous {
  long* live;
  void* allocate(std::size_t bytes, std::size_t) {
    void* p = nullptr;
    ++*live;
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : nullptr;
  }
  void deallocate(void* p, std::size_t, std::size_t) {
    --*live;
    EXPECT_EQ(cudaFree(p), cudaSuccess);
  }
  void* allocate_async(std::size_t bytes, std::size_t, cuda::stream_ref s) {
    void* p = nullptr;
    ++*live;
    return cudaMallocAsync(&p, bytes, s.get()) == cudaSuccess ? p : nullptr;
  }
  void deallocate_async(void* p, std::size_t, std::size_t, cuda::stream_ref s) {
    --*live;
    EXPECT_EQ(cudaFreeAsync(p, s.get()), cudaSuccess);
  }
  bool operator==(const asynchronous&) const = default;
  friend void get_property(const asynchronous&, cuda::mr::device_accessible) {}
};
/// Without streams.
struct synchronous {
  long* live;
  void* allocate(std::size_t bytes, std::size_t align) { return asynchronous{live}.allocate(bytes, align); }
  void deallocate(void* p, std::size_t bytes, std::size_t align) { asynchronous{live}.deallocate(p, bytes, align); }
  bool operator==(const synchronous&) const = default;
  friend void get_property(const synchronous&, cuda::mr::device_accessible) {}
};
}  // namespace resources

namespace {

class cuda_memory_resources : public test::on<lf::cuda> {};

using resources::asynchronous, resources::synchronous;
static_assert(cuda::mr::async_resource_with<asynchronous, cuda::mr::device_accessible>);
static_assert(cuda::mr::resource_with<synchronous, cuda::mr::device_accessible>);
static_assert(!cuda::mr::async_resource<synchronous>);

template <class R>
void serves(R resource, const long& live) {
  {
    const lf::memory_scope scope(lf::cuda{}, resource);
    const lf::array<float, 1> x = lf::arange<float>(1000);
    const lf::array<float, 1> y = x + 0;
    EXPECT_EQ(live, 2);
    EXPECT_EQ(lf::resource_of(x), lf::refer<lf::cuda>(resource));
    EXPECT_EQ(lf::sum(x + y).item(), 999000.0f);
  }
  EXPECT_EQ(live, 0);
}
TEST_F(cuda_memory_resources, of_either_kind_and_references_to_them_serve_the_gpu) {
  long live = 0;
  asynchronous a{&live};
  synchronous s{&live};
  serves(a, live);
  serves(s, live);
  serves(cuda::mr::async_resource_ref<cuda::mr::device_accessible>(a), live);
  serves(cuda::mr::resource_ref<cuda::mr::device_accessible>(s), live);
}

}  // namespace
