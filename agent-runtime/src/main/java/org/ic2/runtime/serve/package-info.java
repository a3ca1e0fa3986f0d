// SPDX-License-Identifier: Apache-2.0
/** What people may ask of a running agent and have it do, and the control socket on which it listens. */
package org.ic2.runtime.serve;
