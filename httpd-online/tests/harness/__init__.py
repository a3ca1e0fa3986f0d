# SPDX-License-Identifier: Apache-2.0
"""What the tests and the benches share: a real server in a private directory, clients and backends that count."""
