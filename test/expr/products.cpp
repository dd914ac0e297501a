// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of vectors, matrices and arrays of more axes, of each type of elements, alone and beside others, against
// NumPy's answers. All numbers are small integers, so that no sum is rounded. The name of each case is the NumPy text.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

using lf::all, lf::axis, lf::end, lf::keepdims, lf::newaxis, lf::none, lf::range;

const test::reference_data& answers() {
  static const test::reference_data data("products");
  return data;
}

template <class Space>
class products : public test::on<Space> {};
TYPED_TEST_SUITE(products, test::spaces, test::space_name);

template <class T, class Space>
struct operands_of {
  std::string type;
  template <int R>
  lf::array<T, R, Space> get(const char* name) const {
    return test::array_of<Space, R>(answers().template get<T>((type + "/" + name).c_str()));
  }
  template <class E>
  void expect(const char* numpy, const E& e) const {
    static_assert(std::same_as<test::element_of<E>, T>, "products are of the type of their factors");
    EXPECT_TRUE(test::evaluates_to(e, answers().template get<T>((type + "/" + numpy).c_str()))) << type << " " << numpy;
  }
};

template <class T, class Space>
void check_products(const char* type) {
  const operands_of<T, Space> of{type};
  const auto v = of.template get<1>("v"), w = of.template get<1>("w");
  const auto a = of.template get<2>("a");
  const auto t = of.template get<3>("t"), s = of.template get<3>("s");
  of.expect("matmul(a,v)", lf::matmul(a, v));
  of.expect("matmul(t,s)", lf::matmul(t, s));
  of.expect("dot(v,w)", lf::dot(v, w));
  of.expect("inner(t,a)", lf::inner(t, a));
  of.expect("tensordot(t,s,((0,2),(0,1)))", lf::tensordot(t, s, axis<0, 2>, axis<0, 1>));
  if constexpr (!std::same_as<T, bool>) {
    of.expect("vdot(a,a)", lf::vdot(a, a));
    of.expect("vecdot(t,a)", lf::vecdot(t, a));
    of.expect("cross(t[:,:,:3],v[3:])", lf::cross(t(all, all, range(0, 3)), v(range(3, end))));
  }
  if constexpr (std::same_as<T, float> || std::same_as<T, std::int8_t>)
    of.expect("matmul(m,n)", lf::matmul(of.template get<2>("m"), of.template get<2>("n")));
}

/// All operands, of doubles.
template <class Space>
struct doubles : operands_of<double, Space> {
  template <int R>
  using array = lf::array<double, R, Space>;
  doubles() : operands_of<double, Space>{"float64"} {}
  array<1> v = this->template get<1>("v"), w = this->template get<1>("w"), u = this->template get<1>("u"),
           q = this->template get<1>("q");
  array<2> a = this->template get<2>("a"), b = this->template get<2>("b"), o = this->template get<2>("o"),
           e = this->template get<2>("e");
  array<3> t = this->template get<3>("t"), s = this->template get<3>("s");
  array<4> r = this->template get<4>("r");
};

TYPED_TEST(products, of_matrices_vectors_and_stacks_of_them_are_numpys) {
  const doubles<TypeParam> of;
  const auto &v = of.v, &w = of.w;
  const auto &a = of.a, &b = of.b, &o = of.o, &e = of.e;
  const auto &t = of.t, &s = of.s;
  const auto& r = of.r;
  of.expect("matmul(v,w)", lf::matmul(v, w));
  of.expect("matmul(v,b)", lf::matmul(v, b));
  of.expect("matmul(a,b)", lf::matmul(a, b));
  of.expect("matmul(a.T,a)", lf::matmul(a.T(), a));
  of.expect("matmul(t,b)", lf::matmul(t, b));
  of.expect("matmul(a,s)", lf::matmul(a, s));
  of.expect("matmul(t,r)", lf::matmul(t, r));
  of.expect("matmul(v,r)", lf::matmul(v, r));
  of.expect("matmul(t,v)", lf::matmul(t, v));
  of.expect("matmul(e,b)", lf::matmul(e, b));
  of.expect("matmul(b.T,e.T)", lf::matmul(b.T(), e.T()));
  of.expect("matmul(o.T,o)", lf::matmul(o.T(), o));
  of.expect("matmul(o[:,:1],o)", lf::matmul(o(all, range(0, 1)), o));
  of.expect("matmul(a[::-1,::2],b[::-2])",
            lf::matmul(a(range(none, none, -1), range(none, none, 2)), b(range(none, none, -2))));
}
TYPED_TEST(products, of_the_last_axes_keep_the_others_in_order) {
  const doubles<TypeParam> of;
  const auto &v = of.v, &w = of.w, &u = of.u, &q = of.q;
  const auto &a = of.a, &b = of.b, &e = of.e;
  const auto &t = of.t, &s = of.s;
  of.expect("dot(a,v)", lf::dot(a, v));
  of.expect("dot(v,b)", lf::dot(v, b));
  of.expect("dot(a,b)", lf::dot(a, b));
  of.expect("dot(t,b)", lf::dot(t, b));
  of.expect("dot(t,s)", lf::dot(t, s));
  of.expect("dot(v,s)", lf::dot(v, s));
  of.expect("dot(e,v)", lf::dot(e, v));
  of.expect("inner(v,w)", lf::inner(v, w));
  of.expect("inner(a,v)", lf::inner(a, v));
  of.expect("inner(a,a[1:])", lf::inner(a, a(range(1, end))));
  of.expect("inner(t,t)", lf::inner(t, t));
  of.expect("outer(v,u)", lf::outer(v, u));
  of.expect("outer(u,u)", lf::outer(u, u));
  of.expect("outer(v[:0],u)", lf::outer(v(range(0, 0)), u));
  of.expect("tensordot(a,b,1)", lf::tensordot<1>(a, b));
  of.expect("tensordot(t,b,1)", lf::tensordot<1>(t, b));
  of.expect("tensordot(t,t,3)", lf::tensordot<3>(t, t));
  of.expect("tensordot(q,q,0)", lf::tensordot<0>(q, q));
  of.expect("tensordot(t,a,((1,2),(0,1)))", lf::tensordot(t, a, axis<1, 2>, axis<0, 1>));
  of.expect("tensordot(s,t,((-2,),(-1,)))", lf::tensordot(s, t, axis<-2>, axis<-1>));
  of.expect("vdot(v,w)", lf::vdot(v, w));
  of.expect("vdot(e,e)", lf::vdot(e, e));
  of.expect("vecdot(v,w)", lf::vecdot(v, w));
  of.expect("vecdot(a,v)", lf::vecdot(a, v));
  of.expect("vecdot(t,t,axis=0)", lf::vecdot(t, t, axis<0>));
  of.expect("vecdot(t,a,axis=-2)", lf::vecdot(t, a, axis<-2>));
  of.expect("cross(a[:,:3],a[:,3:])", lf::cross(a(all, range(0, 3)), a(all, range(3, end))));
  of.expect("cross(v[:3],w[3:])", lf::cross(v(range(0, 3)), w(range(3, end))));
}
TYPED_TEST(products, by_letters_are_numpys) {
  const doubles<TypeParam> of;
  const auto& v = of.v;
  const auto &a = of.a, &b = of.b;
  const auto &t = of.t, &s = of.s;
  const auto square = lf::matmul(b, b.T());
  of.expect("einsum('ij,jk->ik',a,b)", lf::einsum<"ij,jk->ik">(a, b));
  of.expect("einsum('ij,jk',a,b)", lf::einsum<"ij, jk">(a, b));
  of.expect("einsum('bA,Ac',a,b)", lf::einsum<"bA,Ac">(a, b));
  of.expect("einsum('ba',a)", lf::einsum<"ba">(a));
  of.expect("einsum('ij->',a)", lf::einsum<"ij->">(a));
  of.expect("einsum('ij->j',a)", lf::einsum<"ij->j">(a));
  of.expect("einsum('ii',b@b.T)", lf::einsum<"ii">(square));
  of.expect("einsum('ii->i',b@b.T)", lf::einsum<"ii->i">(square));
  of.expect("einsum('i,ii,i->i',v,b@b.T,v)", lf::einsum<"i,ii,i->i">(v, square, v));
  of.expect("einsum('bij,bjk->bik',t,s)", lf::einsum<"bij,bjk->bik">(t, s));
  of.expect("einsum('bij,bjk->ki',t,s)", lf::einsum<"bij,bjk->ki">(t, s));
  of.expect("einsum('ij,i,j',a@b,a[:,0],b[0])", lf::einsum<"ij,i,j">(lf::matmul(a, b), a(all, 0), b(0)));
  of.expect("einsum('ij,jk,lk->il',a,b,b)", lf::einsum<"ij,jk,lk->il">(a, b, b));
  of.expect("einsum('ai,ij,bjk,k->ab',a,b@b.T,s,b[0])", lf::einsum<"ai,ij,bjk,k->ab">(a, square, s, b(0)));
}
TYPED_TEST(products, of_unlike_types_are_of_their_common_one_from_the_beginning) {
  const lf::array<std::int8_t, 1, TypeParam> a = lf::full({3}, std::int8_t{100});
  const lf::array<float, 1, TypeParam> b = lf::ones<float>({3});
  EXPECT_EQ((lf::einsum<"i,i,i">(a, a, b)).item(), 30000.0f);
  EXPECT_EQ(lf::dot(a, b).item(), 300.0f);
  const lf::array<lf::half, 2, TypeParam> h = lf::full({2, 2}, lf::half(200.0f)),
                                          one = lf::full({2, 2}, lf::half(0.001f));
  const auto chain = lf::materialize(lf::einsum<"ij,jk,kl->il">(h, h, one));  // 80000 on the way, beyond half
  EXPECT_NEAR(static_cast<float>(chain(0, 1).item()), 160.0f, 0.5f);
}
TYPED_TEST(products, of_five_and_six_operands_have_an_order) {
  const lf::array<double, 2, TypeParam> a = lf::full({2, 2}, 2.0);
  EXPECT_EQ((lf::einsum<"ab,bc,cd,de,ef->">(a, a, a, a, a)).item(), 2048.0);
  EXPECT_EQ((lf::einsum<"ab,bc,cd,de,ef,fg->">(a, a, a, a, a, a)).item(), 8192.0);
}
TYPED_TEST(products, of_three_matrices_are_taken_two_at_a_time) {
  const doubles<TypeParam> of;
  const auto &a = of.a, &b = of.b;
  lf::kernel_trace trace;
  const auto two = lf::materialize(lf::einsum<"ij,jk->ik">(a, b) + 1);
  EXPECT_EQ(trace.launches(), 1);
  const auto three = lf::materialize(lf::einsum<"ij,jk,lk->il">(a, b, b) + 1);
  EXPECT_EQ(trace.launches(), 3) << "and the product of two in memory";
  const auto one = lf::materialize(lf::einsum<"ij,ij,ij->i">(a, a, a));
  EXPECT_EQ(trace.launches(), 4) << "no fewer letters by two at a time";
}

TYPED_TEST(products, of_reals_are_numpys) {
  check_products<float, TypeParam>("float32");
  check_products<lf::half, TypeParam>("float16");
}
TYPED_TEST(products, of_integers_wrap_around_and_stay_of_their_type) {
  check_products<std::int32_t, TypeParam>("int32");
  check_products<std::int8_t, TypeParam>("int8");
}
TYPED_TEST(products, of_complex_numbers_conjugate_where_numpys_do) {
  check_products<lf::complex<float>, TypeParam>("complex64");
}
TYPED_TEST(products, of_bool_are_true_where_some_term_is) { check_products<bool, TypeParam>("bool"); }

TYPED_TEST(products, take_part_in_larger_expressions) {
  const doubles<TypeParam> of;
  const auto &a = of.a, &b = of.b;
  const auto& v = of.v;
  const auto expect = [](const char* numpy, const auto& e) {
    EXPECT_TRUE(test::evaluates_to(e, answers().template get<double>(numpy))) << numpy;
  };
  expect("a@b+1", lf::matmul(a, b) + 1);
  expect("np.maximum((2*a)@(b-1),0)", lf::maximum(lf::matmul(2 * a, b - 1), 0));
  expect("(a@b)@b.T", lf::matmul(lf::matmul(a, b), b.T()));
  expect("(a@v)[:,None]*a", lf::matmul(a, v)(all, newaxis) * a);
  expect("(a@b).sum(0)", lf::sum(lf::matmul(a, b), axis<0>));
  expect("a@(a.sum(0))", lf::matmul(a, lf::sum(a, axis<0>)));
  expect("(a-a.max(1,keepdims=True))@b", lf::matmul(a - lf::max(a, axis<1>, keepdims), b));
  const auto ab = lf::matmul(a, b);
  expect("((a@b)-(a@b).max(1,keepdims=True))", ab - lf::max(ab, axis<1>, keepdims));
  expect("a@np.cumsum(b,0)", lf::matmul(a, lf::cumsum(b, axis<0>)));
}

TYPED_TEST(products, are_one_kernel_with_what_is_beside_them) {
  const doubles<TypeParam> of;
  const auto &a = of.a, &b = of.b;
  const auto& u = of.u;
  lf::kernel_trace trace;
  const auto y = lf::materialize(lf::exp(lf::matmul(a * 2, b) + u) / 3);
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
}

TYPED_TEST(products, of_unlike_shapes_throw_both) {
  const lf::array<double, 2, TypeParam> a = lf::ones<double>({3, 4}), b = lf::ones<double>({3, 5});
  const lf::array<double, 1, TypeParam> one = lf::ones<double>({1});
  const struct {
    const char* message;
    std::function<void()> product;
  } table[] = {
      {"matmul: shapes (3, 4) and (3, 5) differ along the axes that are summed over", [&] { (void)lf::matmul(a, b); }},
      {"matmul: shapes (3, 4) and (1,) differ", [&] { (void)lf::matmul(a, one); }},
      {"dot: shapes (3, 4) and (3, 5) differ", [&] { (void)lf::dot(a, b); }},
      {"inner: shapes (3, 4) and (1,) differ", [&] { (void)lf::inner(a, one); }},
      {"vdot: shapes (3, 4) and (3, 5) differ", [&] { (void)lf::vdot(a, b); }},
      {"vecdot: shapes (3, 4) and (3, 5) differ", [&] { (void)lf::vecdot(a, b); }},
      {"tensordot: shapes (3, 4) and (3, 5) differ", [&] { (void)lf::tensordot<1>(a, b); }},
      {"tensordot: shapes (3, 4) and (3, 5) differ", [&] { (void)lf::tensordot(a, b, axis<1>, axis<1>); }},
      {"cross: shapes (3, 4) and (1,) do not have three elements", [&] { (void)lf::cross(a, one); }},
      {"einsum: axes of the letter j have extents 4 and 3", [&] { (void)lf::einsum<"ij,jk">(a, b); }},
  };
  for (const auto& [message, product] : table) {
    try {
      product();
      ADD_FAILURE() << message;
    } catch (const lf::shape_error& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  }
}

}  // namespace
