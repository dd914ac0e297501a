# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of whole arrays, by their headers. grammar.py has the other kinds of nodes, and takes these in."""

from algebra import ALGEBRA, FOURIER
from order import SORTING
from products import PRODUCTS
from selections import SELECTION, WRITES

FAMILIES = {"sort": SORTING, "select": SELECTION, None: PRODUCTS, "linalg": ALGEBRA, "fft": FOURIER}
for header, family in FAMILIES.items():
    for each in family.values():
        each.header = header
ALL = WRITES | {name: f for family in FAMILIES.values() for name, f in family.items()}
# How often: families, and single ones among them that have many forms.
CHOICES = [list(SORTING), list(SORTING), list(SELECTION), list(SELECTION) + list(WRITES), list(PRODUCTS), list(PRODUCTS), list(ALGEBRA), ["transform", "transform", *FOURIER]]
