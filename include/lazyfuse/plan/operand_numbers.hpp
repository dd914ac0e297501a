// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which leaves of an expression its types take for one operand. What could be met again is noted once; then each way of
// sharing numbers the leaves, in constant expressions without types.
//
// Equal types mostly are equal operands where the user gave a name, and hardly ever where two of them are added: of
// dx * dx + dy * dy both terms have one type. So terms of one type have operands of their own, and what occurs in such
// terms is one operand only within each of them, and elsewhere within each result (docs/design/sharing_operands.md).
//
// What is written twice has no name. Two operations or more of one type are mostly one value, except side by side, and
// what is inside them is compared only there: of where(p > q, p, q) both p are one, and what p and q have alike is not.
#pragma once

namespace lazyfuse::planning::lower_detail {

/// How far equal types are taken for equal operands, to be checked at launch: 0, not at all; 1, for what has a name, is
/// made of arguments of fuse, or is reduced; 1 + R, for arrays of rank R as well.
constexpr int sharing_arrays(int rank) { return 1 + rank; }
/// Only for arguments of fuse, and names of nothing else: what is left where types were wrong about others.
inline constexpr int arguments_alone = -1;
/// For what has a name, and what is repeated, of two operations or more, each within the smallest that it is part of.
inline constexpr int repeats = -2;
/// As 1, but not for what is reduced.
inline constexpr int names_alone = -3;

/// A leaf as far as numbers go.
struct noted_leaf {
  enum { argument, array, constant, other } kind;
  const char* type;
  int rank;
};
/// What may be met again. Its leaves are [first, end); the parts in it come before part `next`.
struct noted_part {
  const char *type, *met_as;  ///< met_as: a name as itself, a sine as a cosine; null of what has no name
  bool named_here, repeats;   ///< by the user; of two operations or more, which are looked for without a name
  int first = 0, end = 0, next = 0;
  bool beside = false;  ///< another one of its type
  int scope = -1;       ///< the part within which it is the first of its type, counted from 1
  constexpr bool is_reduced() const { return met_as == type && !named_here; }
};
/// The leaves of a result of some type, or of one of several terms that have one type.
struct noted_term {
  int first, end;
  const char* result;  ///< null of terms
};

/// What is found in expressions from left to right, parts before those in them.
struct type_notes {
  noted_leaf* leaf;
  noted_part* part;
  noted_term* term;
  int leaves = 0, parts = 0, terms = 0;

  constexpr void add(const noted_leaf& l) { leaf[leaves++] = l; }
  constexpr int begin(noted_part p) {
    part[parts] = p;
    part[parts].first = leaves;
    return parts++;
  }
  constexpr void end(int of_part) {
    part[of_part].end = leaves;
    part[of_part].next = parts;
  }
  /// Notes which of the parts from `first` on, not of those in them, are of one type, and so what they consist of. A
  /// product may be a square of a name.
  constexpr void compare(int first, bool squares) {
    for (int a = first; a < parts; a = part[a].next)
      for (int b = part[a].next; b < parts; b = part[b].next)
        if (part[a].type == part[b].type && !(squares && part[a].named_here)) set_beside(a), set_beside(b);
  }
  constexpr void set_beside(int p) {
    for (int in = p; in < part[p].next && part[in].first == part[p].first && part[in].end == part[p].end; ++in)
      part[in].beside = true;
  }
  constexpr void end_term(int first, const char* result = nullptr) { term[terms++] = {first, leaves, result}; }
};

/// Numbers the leaves of what was noted, operands in the order in which they occur first.
struct operand_numbering {
  const type_notes& notes;
  int share;
  int* slots;
  int operands = 0;

  constexpr void run() {
    if (share == repeats) return run_inside(0, 0, notes.parts, 0, notes.leaves);
    const noted_part* const part = notes.part;
    for (int at = 0, next = 0; at < notes.leaves;) {
      if (next == notes.parts || part[next].first > at) {
        number(at++);
        continue;
      }
      const bool guesses = share != 0 && !(share == names_alone && part[next].is_reduced());
      const int before = guesses ? met_before(next) : -1;
      if (before >= 0) {
        for (int i = part[before].first; at < part[next].end; ++i) slots[at++] = slots[i];
        while (next < notes.parts && part[next].first < at) ++next;
      } else ++next;
    }
  }

 private:
  constexpr void number(int at) {
    slots[at] = slot_of(at);
    operands += slots[at] == operands;
  }
  /// Numbers the leaves [at, end), which contain the parts [first, last).
  constexpr void run_inside(int scope, int first, int last, int at, int end) {
    noted_part* const part = notes.part;
    for (int next = first; at < end;) {
      if (next == last || part[next].first > at) {
        number(at++);
        continue;
      }
      noted_part& now = part[next];
      const bool again = now.repeats && is_repeated(next, first, last);
      const int before = again ? repeat_before(next, scope, first, last) : now.named_here ? name_before(next) : -1;
      if (before >= 0) {
        for (int i = part[before].first; at < now.end; ++i) slots[at++] = slots[i];
        next = now.next;
      } else if (again) {
        now.scope = scope;
        run_inside(next + 1, next + 1, now.next, at, now.end);
        at = now.end;
        next = now.next;
      } else ++next;
    }
  }
  constexpr bool is_repeated(int p, int first, int last) const {
    for (int q = first; q < last; ++q)
      if (q != p && notes.part[q].type == notes.part[p].type) return true;
    return false;
  }
  /// The first of its type within a part, if none of them are side by side.
  constexpr int repeat_before(int p, int scope, int first, int last) const {
    int found = -1;
    for (int q = first; q < last; ++q) {
      const noted_part& then = notes.part[q];
      if (then.type != notes.part[p].type) continue;
      if (then.beside) return -1;
      if (q < p && then.scope == scope) found = q;
    }
    return found;
  }
  /// The same anywhere, if neither is part of what has another one of its type at its side.
  constexpr int name_before(int p) const {
    int found = -1;
    for (int q = 0; q < notes.parts; ++q) {
      if (notes.part[q].type != notes.part[p].type) continue;
      if (notes.part[q].beside) return -1;
      if (q < p && found < 0 && !are_apart(q, p)) found = q;
    }
    return found;
  }
  constexpr bool are_apart(int q, int p) const {
    for (int in = 0; in < notes.parts; ++in) {
      const bool has_q = in <= q && q < notes.part[in].next, has_p = in <= p && p < notes.part[in].next;
      if (notes.part[in].beside && has_q != has_p) return true;
    }
    return false;
  }
  constexpr int slot_of(int at) const {
    const noted_leaf& l = notes.leaf[at];
    const bool wanted =
        l.kind == noted_leaf::argument ? share != 0 : l.kind == noted_leaf::array && share > 1 && l.rank == share - 1;
    for (int i = 0; wanted && i < at; ++i)
      if (notes.leaf[i].type == l.type && (l.kind == noted_leaf::argument || is_one(i, i + 1, at, at + 1, l.type)))
        return slots[i];
    return operands;
  }
  constexpr int met_before(int p) const {
    const noted_part& now = notes.part[p];
    for (int q = 0; q < p && now.first < now.end; ++q) {
      const noted_part& then = notes.part[q];
      if (then.type == now.met_as && then.end <= now.first &&
          (of_arguments(now) ||
           (share != arguments_alone && is_one(then.first, then.end, now.first, now.end, now.met_as) &&
            !are_like_results(then, now))))
        return q;
    }
    return -1;
  }
  /// Whether all that it reads are arguments and scalars.
  constexpr bool of_arguments(const noted_part& p) const {
    for (int i = p.first; i < p.end; ++i)
      if (notes.leaf[i].kind != noted_leaf::argument && notes.leaf[i].kind != noted_leaf::constant) return false;
    return true;
  }
  /// Whether they are all that two results of one type read: sum(w * x) and sum(w * y).
  constexpr bool are_like_results(const noted_part& then, const noted_part& now) const {
    const char* const result = result_of(now);
    return result && result == result_of(then);
  }
  constexpr const char* result_of(const noted_part& p) const {
    for (int t = 0; t < notes.terms; ++t)
      if (notes.term[t].result && notes.term[t].first == p.first && notes.term[t].end == p.end)
        return notes.term[t].result;
    return nullptr;
  }
  /// Whether what has one type in two places is taken for one.
  constexpr bool is_one(int first, int end, int first_now, int end_now, const char* type) const {
    return !occurs_in_like_terms(type) || term_of(first, end) == term_of(first_now, end_now);
  }
  constexpr bool occurs_in_like_terms(const char* type) const {
    for (int t = 0; t < notes.terms; ++t) {
      const noted_term& in = notes.term[t];
      if (in.result) continue;
      for (int i = in.first; i < in.end; ++i)
        if (notes.leaf[i].type == type) return true;
      for (int p = 0; p < notes.parts; ++p)
        if (notes.part[p].type == type && in.first <= notes.part[p].first && notes.part[p].end <= in.end) return true;
    }
    return false;
  }
  /// The smallest term with these leaves.
  constexpr int term_of(int first, int end) const {
    int found = -1, size = notes.leaves + 1;
    for (int t = 0; t < notes.terms; ++t) {
      const noted_term& in = notes.term[t];
      if (in.first > first || in.end < end || in.end - in.first >= size) continue;
      found = t;
      size = in.end - in.first;
    }
    return found;
  }
};

}  // namespace lazyfuse::planning::lower_detail
