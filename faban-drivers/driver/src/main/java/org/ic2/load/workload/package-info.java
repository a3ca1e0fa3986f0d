// SPDX-License-Identifier: Apache-2.0
/** What the workloads have in common: reading run.xml, who is popular, what is wrong with a page. Depends on the HTTP client. */
package org.ic2.load.workload;
