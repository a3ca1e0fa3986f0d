# SPDX-License-Identifier: Apache-2.0
"""A web tier, its database, its load and its noisy neighbour on one machine (docs/testbed.md)."""
