// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory comes from the resource that was chosen and goes back to it; resources of other libraries are known by their
// members; what cannot be allocated changes nothing.
#include "support/arrays.hpp"
#include "support/resources.hpp"
#include "support/statements.hpp"

#include <memory_resource>
#include <optional>
#include <thread>
#include <vector>

namespace {

template <class Space>
class memory_resources : public test::on<Space> {
 protected:
  ~memory_resources() override { lf::use_memory<Space>(); }
};
TYPED_TEST_SUITE(memory_resources, test::spaces, test::space_name);

using test::matrix, test::operand, test::statements;

TYPED_TEST(memory_resources, every_allocation_of_the_library_comes_from_the_chosen_one_and_goes_back) {
  for (const auto& [text, run] : statements<TypeParam>) {
    test::counting_resource<TypeParam> resource;
    {
      const lf::memory_scope scope(TypeParam{}, resource);
      lf::kernel_trace trace;
      matrix<TypeParam> z = operand<TypeParam>(0);
      const auto x = operand<TypeParam>(1), y = operand<TypeParam>(2);
      run(z, x, y);
      EXPECT_EQ(lf::resource_of(z), lf::refer<TypeParam>(resource)) << text;
      EXPECT_GT(resource.live, 2) << text;
      EXPECT_LE(resource.given, trace.allocations()) << text << ": the trace also sees those of the host";
      if constexpr (std::is_same_v<TypeParam, lf::host>) {
        EXPECT_EQ(resource.given, trace.allocations()) << text;
      }
    }
    EXPECT_EQ(resource.live, 0) << text;
    EXPECT_EQ(resource.live_bytes, 0) << text;
    EXPECT_EQ(resource.wrong, 0) << text << ": alignment";
  }
}

TYPED_TEST(memory_resources, an_allocation_that_fails_leaves_the_destination_as_it_was_and_leaks_nothing) {
  const auto before = test::counting<float>({4, 5}, 100);
  for (const bool throws : {true, false})
    for (const auto& [text, run] : statements<TypeParam>) {
      test::counting_resource<TypeParam> resource;
      resource.throws = throws;
      bool done = false;
      for (long n = 1; !done && n < 100; ++n) {
        const auto x = operand<TypeParam>(1), y = operand<TypeParam>(2);
        matrix<TypeParam> z = operand<TypeParam>(100);
        {
          const lf::memory_scope scope(TypeParam{}, resource);
          resource.given = 0;
          resource.fails = n;
          try {
            run(z, x, y);
            done = resource.given < n;
            if (!done) ADD_FAILURE() << text << " did not say that allocation " << n << " failed";
          } catch (const lf::memory_error& error) {
            EXPECT_NE(std::string(error.what()).find("could not allocate"), std::string::npos) << error.what();
          }
        }
        if (!done) {
          EXPECT_TRUE(test::evaluates_to(z, before)) << text << ", allocation " << n;
        }
      }
      EXPECT_TRUE(done) << text;
      EXPECT_EQ(resource.live, 0) << text;
    }
}

TYPED_TEST(memory_resources, memory_goes_back_where_it_came_from_when_another_is_chosen) {
  test::counting_resource<TypeParam> first, second;
  lf::use_memory<TypeParam>(first);
  std::optional<matrix<TypeParam>> x = operand<TypeParam>(1);
  EXPECT_EQ(first.live, 1);
  lf::use_memory<TypeParam>(second);
  matrix<TypeParam> y = *x + 1;
  EXPECT_EQ(second.live, 1);
  EXPECT_FALSE(lf::resource_of(y) == lf::resource_of(*x));
  lf::use_memory<TypeParam>();
  y = *x * y;  // in place: still of the second
  EXPECT_EQ(second.live, 1);
  x.reset();
  EXPECT_EQ(first.live, 0);
  y = matrix<TypeParam>{};
  EXPECT_EQ(second.live, 0);
  EXPECT_EQ(lf::resource_of(y), lf::resource_ref{}) << "no elements, no memory";
}

TYPED_TEST(memory_resources, a_scope_is_for_its_own_thread_and_scopes_nest) {
  test::counting_resource<TypeParam> all, outer, inner;
  lf::use_memory<TypeParam>(all);
  const auto x = operand<TypeParam>(1);
  {
    const lf::memory_scope scope(TypeParam{}, outer);
    const matrix<TypeParam> a = x + 1;
    const matrix<TypeParam> b = lf::materialize(lf::memory_scope(TypeParam{}, inner), x + 2);
    const matrix<TypeParam> c = x + 3;
    EXPECT_EQ(lf::resource_of(a), lf::refer<TypeParam>(outer));
    EXPECT_EQ(lf::resource_of(b), lf::refer<TypeParam>(inner));
    EXPECT_EQ(lf::resource_of(c), lf::refer<TypeParam>(outer));
    lf::resource_ref there;
    std::thread([&] {
      const matrix<TypeParam> d = x + 4;
      there = lf::resource_of(d);
      lf::synchronize();
    }).join();
    EXPECT_EQ(there, lf::refer<TypeParam>(all));
  }
  EXPECT_EQ(outer.live + inner.live, 0);
}

TYPED_TEST(memory_resources, may_be_changed_while_threads_allocate) {
  test::counting_resource<TypeParam> first, second;
  const auto work = [] {
    for (int n = 0; n < 50; ++n) EXPECT_EQ(lf::sum(operand<TypeParam>(0) + 1).item(), 210.0f);
    lf::synchronize();
  };
  std::thread a(work), b(work);
  for (int n = 0; n < 200; ++n) {
    lf::use_memory<TypeParam>(first);
    lf::use_memory<TypeParam>(second);
    lf::use_memory<TypeParam>();
  }
  a.join();
  b.join();
  EXPECT_EQ(first.live + second.live, 0);
}

/// Streams as other libraries wrap them.
struct stream_view {
  stream_view(CUstream_st* s) : handle(s) {}
  CUstream_st* handle;
};
/// The shapes of resources: what each library calls its members and in which order their parameters come.
template <class Space>
struct rmm_of_old {
  long live = 0;
  void* allocate(std::size_t bytes, stream_view s) { return ++live, test::get<Space>(bytes, 256, {s.handle}); }
  void deallocate(void* p, std::size_t, stream_view s) { --live, test::give_back<Space>(p, {s.handle}); }
};
template <class Space>
struct rmm_async : rmm_of_old<Space> {
  void* allocate_async(std::size_t n, stream_view s) { return this->allocate(n, s); }
  void deallocate_async(void* p, std::size_t n, stream_view s) { this->deallocate(p, n, s); }
};
template <class Space>
struct rmm_with_alignment : rmm_async<Space> {
  void* allocate_async(std::size_t n, std::size_t, stream_view s) { return this->allocate(n, s); }
  void deallocate_async(void* p, std::size_t n, std::size_t, stream_view s) { this->deallocate(p, n, s); }
  bool operator==(const rmm_with_alignment& o) const { return this == &o; }
};
template <class Space>
struct rmm_as_cccl {
  long live = 0;
  void* allocate(stream_view s, std::size_t n, std::size_t align = 256) {
    return ++live, test::get<Space>(n, align, {s.handle});
  }
  void deallocate(stream_view s, void* p, std::size_t, std::size_t = 256) noexcept {
    --live, test::give_back<Space>(p, {s.handle});
  }
  bool operator==(const rmm_as_cccl& o) const { return this == &o; }
};
template <class Space>
struct without_streams {
  long live = 0;
  void* allocate(std::size_t n, std::size_t align) { return ++live, test::get<Space>(n, align, {}); }
  void deallocate(void* p, std::size_t, std::size_t) { --live, test::give_back<Space>(p, {}); }
};
template <class Space>
struct synchronous_only {
  long live = 0;
  void* allocate_sync(std::size_t n, std::size_t align) { return ++live, test::get<Space>(n, align, {}); }
  void deallocate_sync(void* p, std::size_t, std::size_t) { --live, test::give_back<Space>(p, {}); }
};
template <class Space>
struct with_a_plain_pointer_for_streams {
  long live = 0;
  void* allocate(std::size_t n, std::size_t align, void* s) {
    return ++live, test::get<Space>(n, align, {static_cast<CUstream_st*>(s)});
  }
  void deallocate(void* p, std::size_t, std::size_t, void* s) {
    --live, test::give_back<Space>(p, {static_cast<CUstream_st*>(s)});
  }
  bool operator==(const with_a_plain_pointer_for_streams&) const = default;
};

template <class Space, class Resource>
void serves() {
  Resource resource;
  {
    const lf::memory_scope scope(Space{}, resource);
    const auto x = operand<Space>(1);
    EXPECT_TRUE(
        test::evaluates_to(x + lf::sum(x, lf::axis<0>), test::generate<float>({4, 5}, [](const test::extents& i) {
                             return i[0] * 5 + i[1] + 1 + 4 * (i[1] + 1) + 30;
                           })));
    EXPECT_EQ(resource.live, 1);
  }
  EXPECT_EQ(resource.live, 0);
}
TYPED_TEST(memory_resources, of_other_libraries_are_known_by_their_members) {
  serves<TypeParam, rmm_of_old<TypeParam>>();
  serves<TypeParam, rmm_async<TypeParam>>();
  serves<TypeParam, rmm_with_alignment<TypeParam>>();
  serves<TypeParam, rmm_as_cccl<TypeParam>>();
  serves<TypeParam, synchronous_only<TypeParam>>();
  serves<TypeParam, without_streams<TypeParam>>();
  serves<TypeParam, with_a_plain_pointer_for_streams<TypeParam>>();
  static_assert(lf::memory_resource<test::counting_resource<TypeParam>>);
  static_assert(lf::memory_resource<with_a_plain_pointer_for_streams<TypeParam>>);
  static_assert(!lf::memory_resource<rmm_with_alignment<TypeParam>>, "served by what it calls its members");
}

TEST(memory_resources_of_the_standard, serve_the_host) {
  std::pmr::monotonic_buffer_resource buffer(1 << 16);
  std::pmr::unsynchronized_pool_resource pool(&buffer);
  std::pmr::memory_resource& any = pool;
  const lf::memory_scope scope(lf::host{}, any);
  const lf::array<double, 1, lf::host> x{1, 2, 3};
  EXPECT_EQ(lf::sum(x + lf::reshape(lf::arange<double>(3), {3})).item(), 9.0);
  EXPECT_EQ(lf::resource_of(x), lf::refer<lf::host>(any));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 64, 0u);
}

}  // namespace
