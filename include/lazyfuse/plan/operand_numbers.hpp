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

/// A type of leaves or parts. They are numbered when they are met: what follows compares numbers.
struct noted_type {
  const char* type;
  int other;           ///< one more type of as many leaves, or -1
  int first, last;     ///< of this type, or -1
  bool in_like_terms;  ///< occurs in one of several terms that have one type
  bool beside;         ///< some of it are side by side
};
/// A leaf as far as numbers go.
struct noted_leaf {
  enum { argument, array, constant, other } kind;
  int rank;
  int type, after;  ///< the next one of its type, or -1
  int term;         ///< the smallest one around it, counted from 1
};
/// What may be met again. Its leaves are [first, end); the parts in it come before part `next`.
struct noted_part {
  int type, before, after;   ///< the previous one of its type and the next, or -1
  int met_as;                ///< a name as itself, a sine as a cosine; -1 of what has no name, or was not met
  bool named_here, repeats;  ///< by the user; of two operations or more, which are looked for without a name
  bool is_reduced, beside;   ///< another one of its type
  int first, end, next;
  int others;  ///< leaves in it that are neither arguments nor scalars
  int term;    ///< the smallest one around it, counted from 1
  int apart;   ///< the smallest part beside another one that it is, or is in, counted from 1
  int scope;   ///< the part within which it is the first of its type, counted from 1
};
/// The leaves of a result of some type.
struct noted_result {
  const char* type;
  int first, end;
};

/// What is found in expressions from left to right, parts before those in them. Long expressions have hundreds of
/// parts, so types are looked for among those of as many leaves, and parts lead to the next one of their type.
struct type_notes {
  noted_leaf* leaf;
  noted_part* part;
  noted_type* type;
  noted_result* result;
  int* types_of;       ///< the last type with so many leaves, counted from 1; of single leaves, at 0
  bool finds_repeats;  ///< parts without names are noted, too
  int leaves = 0, parts = 0, types = 0, terms = 0, results = 0;
  int arguments = 0, others = 0;  ///< of the leaves, those that are arguments; neither these nor scalars

  constexpr void add(decltype(noted_leaf::kind) kind, const char* name, int rank) {
    noted_leaf& l = leaf[leaves] = {kind, rank, -1, -1, 0};
    if (kind == noted_leaf::argument || kind == noted_leaf::array) {
      noted_type& t = type[l.type = add_type(name, 0)];
      if (t.first < 0) t.first = leaves;
      else leaf[t.last].after = leaves;
      t.last = leaves;
    }
    ++leaves;
    arguments += kind == noted_leaf::argument;
    others += kind != noted_leaf::argument && kind != noted_leaf::constant;
  }
  /// A part of so many leaves.
  constexpr int begin(const char* name, int size) {
    noted_part& p = part[parts];
    p.type = add_type(name, size);
    noted_type& t = type[p.type];
    p.before = t.last;
    p.after = p.met_as = p.scope = -1;
    p.first = leaves;
    p.end = leaves + size;
    p.others = -others;
    if (t.first < 0) t.first = parts;
    else part[t.last].after = parts;
    t.last = parts;
    return parts++;
  }
  constexpr int begin_name(const char* name, int size, bool by_user) {
    const int p = begin(name, size);
    part[p].met_as = part[p].type;
    part[p].named_here = by_user;
    part[p].is_reduced = !by_user;
    return p;
  }
  /// Two operations or more, if they are noted; partner: what else they are met as.
  constexpr int begin_operations(const char* name, int size, int operations, const char* partner = nullptr) {
    if (!partner && (!finds_repeats || operations < 2)) return -1;
    const int p = begin(name, size);
    if (partner) part[p].met_as = type_number(partner, size);
    part[p].repeats = operations > 1;
    return p;
  }
  constexpr void end(int p, bool squares = false) {
    if (p < 0) return;
    compare(p + 1, squares);
    part[p].next = parts;
    part[p].others += others;
  }
  /// Where terms of one type begin.
  struct place {
    int leaf, part;
  };
  constexpr place here() const { return {leaves, parts}; }
  constexpr void end_term(place first, bool is_like) {
    ++terms;
    for (int i = first.leaf; i < leaves; ++i) {
      if (!leaf[i].term) leaf[i].term = terms;
      if (is_like && leaf[i].type >= 0) type[leaf[i].type].in_like_terms = true;
    }
    for (int p = first.part; p < parts; ++p) {
      if (!part[p].term) part[p].term = terms;
      if (is_like) type[part[p].type].in_like_terms = true;
    }
  }
  constexpr void end_result(place first, const char* name) {
    end_term(first, false);
    result[results++] = {name, first.leaf, leaves};
  }
  constexpr void end_all() {
    compare(0, false);
    for (int p = 0; finds_repeats && p < parts; ++p)
      for (int in = p; part[p].beside && in < part[p].next; ++in) part[in].apart = p + 1;
  }

 private:
  constexpr int type_number(const char* name, int size) const {
    for (int t = types_of[size] - 1; t >= 0; t = type[t].other)
      if (type[t].type == name) return t;
    return -1;
  }
  constexpr int add_type(const char* name, int size) {
    if (const int t = type_number(name, size); t >= 0) return t;
    type[types] = {name, types_of[size] - 1, -1, -1, false, false};
    types_of[size] = types + 1;
    return types++;
  }
  /// Notes which of the parts from `first` on, not of those in them, are of one type, and so what they consist of. A
  /// product may be a square of a name.
  constexpr void compare(int first, bool squares) {
    if (!finds_repeats) return;
    for (int a = first; a < parts; a = part[a].next)
      for (int b = part[a].next; b < parts; b = part[b].next)
        if (part[a].type == part[b].type && !(squares && part[a].named_here)) set_beside(a), set_beside(b);
  }
  constexpr void set_beside(int p) {
    for (int in = p; in < part[p].next && part[in].first == part[p].first && part[in].end == part[p].end; ++in)
      part[in].beside = type[part[in].type].beside = true;
  }
};

/// Numbers the leaves of what was noted, operands in the order in which they occur first.
struct operand_numbering {
  type_notes& notes;
  int share;
  int* slots;
  int operands = 0;

  /// Only once for repeats, which are marked.
  constexpr void run() {
    if (share == repeats) return run_inside(0, 0, notes.parts, 0, notes.leaves);
    const noted_part* const part = notes.part;
    for (int at = 0, next = 0; at < notes.leaves;) {
      if (next == notes.parts || part[next].first > at) {
        number(at++);
        continue;
      }
      const bool guesses = share != 0 && !(share == names_alone && part[next].is_reduced);
      const int before = guesses ? met_before(part[next]) : -1;
      if (before >= 0) {
        for (int i = part[before].first; at < part[next].end; ++i) slots[at++] = slots[i];
        next = part[next].next;
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
      const bool again = now.repeats && (now.before >= first || (now.after >= 0 && now.after < last));
      const int before = again ? repeat_before(now, scope, first, last) : now.named_here ? name_before(now) : -1;
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
  /// The first of its type within a part, if none of them are side by side.
  constexpr int repeat_before(const noted_part& now, int scope, int first, int last) const {
    const noted_part* const part = notes.part;
    if (notes.type[now.type].beside) {
      if (now.beside) return -1;
      for (int q = now.before; q >= first; q = part[q].before)
        if (part[q].beside) return -1;
      for (int q = now.after; q >= 0 && q < last; q = part[q].after)
        if (part[q].beside) return -1;
    }
    int found = now.before;
    while (found >= first && part[found].scope != scope) found = part[found].before;
    return found >= first ? found : -1;
  }
  /// The same anywhere, if neither is part of what has another one of its type at its side.
  constexpr int name_before(const noted_part& now) const {
    const noted_type& type = notes.type[now.type];
    if (type.beside) return -1;
    const noted_part* const part = notes.part;
    for (int q = type.first; part[q].first < now.first; q = part[q].after)
      if (part[q].apart == now.apart) return q;
    return -1;
  }
  constexpr int slot_of(int at) const {
    const noted_leaf& now = notes.leaf[at];
    const bool argument = now.kind == noted_leaf::argument;
    if (argument ? share == 0 : now.kind != noted_leaf::array || share < 2 || now.rank != share - 1) return operands;
    const noted_type& type = notes.type[now.type];
    for (int i = type.first; i < at; i = notes.leaf[i].after)
      if (argument || !type.in_like_terms || notes.leaf[i].term == now.term) return slots[i];
    return operands;
  }
  constexpr int met_before(const noted_part& now) const {
    if (now.met_as < 0 || now.first == now.end || (now.others > 0 && share == arguments_alone)) return -1;
    const noted_type& type = notes.type[now.met_as];
    for (int q = type.first; q >= 0 && notes.part[q].end <= now.first; q = notes.part[q].after) {
      const noted_part& then = notes.part[q];
      if (now.others == 0 || ((!type.in_like_terms || then.term == now.term) && !are_like_results(then, now))) return q;
    }
    return -1;
  }
  /// Whether they are all that two results of one type read: sum(w * x) and sum(w * y).
  constexpr bool are_like_results(const noted_part& then, const noted_part& now) const {
    const char* const result = result_of(now);
    return result && result == result_of(then);
  }
  constexpr const char* result_of(const noted_part& p) const {
    for (int r = 0; r < notes.results; ++r)
      if (notes.result[r].first == p.first && notes.result[r].end == p.end) return notes.result[r].type;
    return nullptr;
  }
};

}  // namespace lazyfuse::planning::lower_detail
