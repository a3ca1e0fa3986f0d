// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.resctrl;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;

/** In which groups of resctrl threads are, as the kernel says in {@code /proc/THREAD/cpu_resctrl_groups}. */
public final class ThreadGroups {
    private static final Pattern OURS = Pattern.compile("ic2-c\\d{1,2}-m\\d{1,3}");
    private static final Pattern PLACE = Pattern.compile("res:(\\S*)\\s+mon:(\\S*)\\s*");

    /**
     * A thread's place.
     *
     * @param control its control group; empty for the one above all
     * @param monitor its monitoring group in that; empty for none
     */
    public record Place(String control, String monitor) {

        /**
         * Who moves a thread takes it from both of its groups.
         *
         * @throws IOException if one is somebody else's
         */
        public void requireOurs() throws IOException {
            requireOurControl();
            if (!monitor.isEmpty() && !monitor.startsWith("ic2-")) {
                throw theirs();
            }
        }

        /**
         * A control group of ours is ours to empty, whoever counts in it.
         *
         * @throws IOException if it is somebody else's
         */
        void requireOurControl() throws IOException {
            if (!control.isEmpty() && !isOurs(control)) {
                throw theirs();
            }
        }

        private IOException theirs() {
            return new IOException("it is in the group " + (control + " " + monitor).strip() + " of resctrl, which is somebody else's");
        }

        static boolean isOurs(String control) {
            return OURS.matcher(control).matches();
        }
    }

    private final Host host;

    public ThreadGroups(Host host) {
        this.host = host;
    }

    /** Of those that have ended, nothing. */
    public Map<Integer, Place> of(List<Integer> threads) throws IOException, InterruptedException {
        Map<Integer, Place> places = new LinkedHashMap<>();
        for (int thread : threads) {
            String path = "/proc/" + thread + "/cpu_resctrl_groups";
            String text;
            try {
                text = host.read(path);
            } catch (IOException e) {
                requireEnded(thread, e);
                continue;
            }
            Matcher place = PLACE.matcher(text);
            if (!place.matches()) {
                throw new IOException("expected the lines res: and mon: in " + path + ", got \"" + BoundedText.brief(text) + "\"");
            }
            places.put(thread, new Place(place.group(1).replace("/", ""), place.group(2)));
        }
        return places;
    }

    private void requireEnded(int thread, IOException refusal) throws IOException, InterruptedException {
        try {
            host.read("/proc/" + thread + "/comm");
        } catch (IOException ended) {
            return;
        }
        throw refusal;
    }
}
