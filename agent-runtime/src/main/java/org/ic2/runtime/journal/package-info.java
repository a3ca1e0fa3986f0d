// SPDX-License-Identifier: Apache-2.0
/**
 * What an agent decided and did, one line after the other: the kinds of {@link org.ic2.runtime.journal.Entry entries},
 * their one form on disk, the file, and what a new start {@link org.ic2.runtime.journal.JournalReplay recovers} from it.
 */
package org.ic2.runtime.journal;
