// SPDX-License-Identifier: Apache-2.0
/** Reading YAML strictly: an unknown key, a wrong kind or a wrong unit is an error that names file, line and key. */
package org.ic2.runtime.yaml;
