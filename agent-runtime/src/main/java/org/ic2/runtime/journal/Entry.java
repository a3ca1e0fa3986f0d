// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * One thing that an agent decided or did. What an entry does not know is empty; an entry that was read may know less
 * than one that is written.
 */
public sealed interface Entry {

    /** When it was written; 1970 where the line does not say. */
    Instant time();

    /** The word for it on disk. */
    String kind();

    /** What it belongs to: the decision's id, or a name of the agent's own; empty where it belongs to nothing. */
    default String id() {
        return "";
    }

    /** What was to be done, in one word. */
    default String action() {
        return "";
    }

    /** Why, in words. */
    default String reason() {
        return "";
    }

    /** The person who asked for it, in words; empty where none did, or none is known. */
    default String by() {
        return "";
    }

    /** What went wrong, in words. */
    default String problem() {
        return "";
    }

    /** What ran when it was written. */
    default Optional<Settings> running() {
        return Optional.empty();
    }

    /** The whole decision behind it, in the form of the one who decided. */
    default Optional<JsonNode> decision() {
        return Optional.empty();
    }

    /** The number of changes so far, over restarts; 0 where it does not say. */
    default long epoch() {
        return 0;
    }

    /**
     * The agent began, or read its configuration again.
     *
     * @param mode     how far it goes: {@code observe}, {@code advise}, {@code act}
     * @param running  what it found in force
     * @param baseline what it restores
     * @param reason   why, where it is no plain start
     */
    record Start(Instant time, String mode, String application, Optional<Settings> running,
            Optional<Settings> baseline, String reason) implements Entry {
        static final String KIND = "start";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** Something is to be changed, or was, or was not. */
    sealed interface OfRequest extends Entry {

        /** What was asked for. */
        Request request();

        @Override
        default String id() {
            return request().id();
        }

        @Override
        default String action() {
            return request().action();
        }

        @Override
        default String reason() {
            return request().reason();
        }

        @Override
        default String by() {
            return request().by();
        }
    }

    /**
     * What was asked for, by whom and why.
     *
     * @param id     the decision's, or a name of the agent's own
     * @param origin who asked, in one word
     * @param action in one word
     * @param reason in words
     * @param by     the person who asked, in words; empty where none did, or none is known
     */
    record Request(String id, String origin, String action, String reason, String by) {
        public Request(String id, String origin, String action, String reason) {
            this(id, origin, action, reason, "");
        }
    }

    /**
     * A change begins; on the disk before the first command.
     *
     * @param before  what ran before it
     * @param desired what it is to lead to
     */
    record Intent(Instant time, Request request, Optional<Settings> before, Optional<Settings> desired,
            Optional<JsonNode> decision) implements OfRequest {
        static final String KIND = "intent";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /**
     * A change is in force.
     *
     * @param millis  from the first command to the last value read back
     * @param leftOut why part of it was left out; empty when nothing was
     */
    record Applied(Instant time, Request request, long millis, long epoch, Optional<Settings> running,
            String leftOut) implements OfRequest {
        static final String KIND = "applied";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /**
     * A change was tried and is not in force.
     *
     * @param rolledBack true when what ran before it runs again
     */
    record Failed(Instant time, Request request, String problem, boolean rolledBack, long epoch,
            Optional<Settings> running) implements OfRequest {
        static final String KIND = "failed";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** A change was not tried. */
    record Refused(Instant time, Request request, String problem, Optional<Settings> running,
            Optional<Settings> desired) implements OfRequest {
        static final String KIND = "refused";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** A decision worth a word of which nothing is applied: a reason to wait, or advice. */
    record Decided(Instant time, String id, String mode, String action, String reason, Optional<JsonNode> decision)
            implements Entry {
        static final String KIND = "decision";
        /** What the entry belongs to is left alone, as the kernel killed for want of memory there. */
        public static final String OOM_KILL = "OOM_KILL";

        @Override
        public String kind() {
            return KIND;
        }

        /** True if it holds over restarts, until a person hands back. */
        boolean lasts() {
            return action.equals(OOM_KILL);
        }
    }

    /**
     * Manual mode from now on.
     *
     * @param until when the agent takes over again; empty: when it is told to
     */
    record Manual(Instant time, String reason, Optional<Instant> until, String by) implements Entry {
        static final String KIND = "manual";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** Manual mode is over. */
    record Resume(Instant time, String reason, String by) implements Entry {
        static final String KIND = "resume";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** The agent ended. */
    record Stop(Instant time, String reason, Optional<Settings> running) implements Entry {
        static final String KIND = "stop";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /**
     * A kind that this version does not know, of a later one or of another program.
     *
     * @param json the whole line
     */
    record Other(Instant time, String kind, ObjectNode json) implements Entry {
        @Override
        public String id() {
            return json.path("id").asText();
        }

        @Override
        public String action() {
            return json.path("action").asText();
        }

        @Override
        public String by() {
            return json.path("by").asText();
        }

        @Override
        public String reason() {
            return json.path("reason").asText();
        }

        @Override
        public String problem() {
            return json.path("problem").asText();
        }

        @Override
        public long epoch() {
            return json.path("epoch").asLong();
        }

        @Override
        public Optional<JsonNode> decision() {
            return Optional.ofNullable(json.get("decision"));
        }
    }
}
