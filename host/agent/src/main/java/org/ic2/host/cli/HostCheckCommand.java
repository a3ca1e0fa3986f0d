// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.ic2.host.apply.Ownership;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.HostConfig;
import org.ic2.host.contract.Contract;
import org.ic2.host.loop.Backends;
import org.ic2.host.loop.Controllers;
import org.ic2.host.loop.HostFit;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.cli.ReportVerb;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ic2-host check}: what the file says, and what of it this host has. */
@Command(name = "check", mixinStandardHelpOptions = true,
        description = "Reads the file and shows the host: guests, knobs with their ranges and owners, sensors with their source and"
                + " price, and what a provider should know. Changes nothing.")
final class HostCheckCommand extends ReportVerb {

    @Mixin
    private HostFileOption config;

    @Override
    public Integer call() throws Exception {
        HostConfig loaded = config.load();
        Ownership owners = Controllers.owners(loaded);
        Controllers.of(loaded);
        Controllers.fleet(loaded);
        ObjectNode found = Json.object().put("backend", loaded.backend().type()).put("mode", loaded.mode().toString());
        int missing;
        try (Backend backend = Backends.open(loaded)) {
            Capabilities capabilities = backend.capabilities();
            missing = putKnobs(found, capabilities, loaded, backend);
            putMetrics(found, capabilities);
            Optional<Contract> contract = Contract.open(loaded, new LocalHost(), Duration.ofSeconds(3), Clock.systemUTC(), System::nanoTime);
            if (contract.isPresent()) {
                putContract(found, contract.get(), loaded.merged(backend.guests()));
            }
            ArrayNode notes = found.putArray("notes");
            capabilities.notes().forEach(notes::add);
            loaded.shortBudget().ifPresent(notes::add);
            HostFit.notes(loaded, backend).forEach(notes::add);
            putHost(found, backend, loaded, owners);
        }
        show(found, HostCheckCommand::text);
        return missing == 0 ? 0 : Ic2Host.FAILED;
    }

    private static int putKnobs(ObjectNode found, Capabilities capabilities, HostConfig config, Backend backend) throws Exception {
        ObjectNode knobs = found.putObject("knobs");
        ArrayNode problems = found.putArray("problems");
        for (KnobKind kind : KnobKind.values()) {
            capabilities.range(kind).ifPresent(range -> knobs.putObject(kind.key()).put("of", kind.scope().word())
                    .put("lowest", range.lowest()).put("highest", range.highest()).put("step", range.step()).put("unit", kind.unit()));
        }
        Controllers.lacking(config, capabilities).forEach(problems::add);
        Controllers.problem(config, capabilities, backend.pools()).ifPresent(problems::add);
        HostFit.problems(config, backend).forEach(problems::add);
        return problems.size();
    }

    private static void putMetrics(ObjectNode found, Capabilities capabilities) {
        ObjectNode metrics = found.putObject("metrics");
        for (GuestMetric metric : GuestMetric.values()) {
            Capabilities.Source source = capabilities.metrics().get(metric);
            if (source != null) {
                metrics.putObject(metric.key()).put("source", source.name()).put("dear", source.dear());
            }
        }
    }

    /** What carries words, and what tenants tell now. */
    private static void putContract(ObjectNode found, Contract contract, List<Guest> guests) throws InterruptedException {
        found.put("contract", contract.describe());
        HostSample heard = contract.heard(new HostSample(Clock.systemUTC().instant(), Duration.ofSeconds(1), guests, Map.of(),
                new Readings<>(HostMetric.class)));
        ObjectNode tenants = found.putObject("tenants");
        guests.stream().filter(contract::takesPart).forEach(guest -> {
            ObjectNode tells = tenants.putObject(guest.name());
            heard.byUuid().get(guest.uuid()).values().forEach((metric, value) -> tells.put(metric.key(), value));
            if (tells.isEmpty()) {
                tells.put("problem", heard.byUuid().get(guest.uuid()).why(GuestMetric.APP_RT));
            }
        });
        contract.close();
    }

    private static void putHost(ObjectNode found, Backend backend, HostConfig config, Ownership owners) throws Exception {
        found.put("memory", backend.memory());
        ArrayNode pools = found.putArray("pools");
        for (Pool pool : backend.pools()) {
            ObjectNode one = pools.addObject().put("name", pool.name()).put("scheduler", pool.scheduler()).put("cpus", pool.cpus().size());
            putOwners(one, kind -> kind.ofPool() ? owners.owner(kind).orElse("") : "");
        }
        ArrayNode guests = found.putArray("guests");
        for (Guest guest : config.merged(backend.guests())) {
            ObjectNode one = guests.addObject().put("name", guest.name()).put("id", guest.id()).put("class", guest.guestClass().name())
                    .put("vcpus", guest.vcpus());
            putOwners(one, kind -> GuestKnob.all(kind, guest).stream().anyMatch(backend::has) ? owners.owner(kind, guest).orElse("") : "");
        }
        ArrayNode absent = found.putArray("absent");
        config.guests().keySet().stream().filter(name -> guests.findValuesAsText("name").stream().noneMatch(name::equals))
                .forEach(absent::add);
    }

    private static void putOwners(ObjectNode node, java.util.function.Function<KnobKind, String> owner) {
        ObjectNode owners = node.putObject("owners");
        for (KnobKind kind : KnobKind.values()) {
            if (!owner.apply(kind).isEmpty()) {
                owners.put(kind.key(), owner.apply(kind));
            }
        }
    }

    private static String text(ObjectNode found) {
        StringBuilder text = new StringBuilder("backend ").append(found.path("backend").asText()).append(", mode ")
                .append(found.path("mode").asText()).append(", memory ").append(found.path("memory").asLong() >> 20).append(" MiB\n");
        found.path("pools").forEach(pool -> text.append("pool ").append(pool.path("name").asText()).append(": ")
                .append(pool.path("scheduler").asText()).append(", ").append(pool.path("cpus").asText()).append(" CPUs")
                .append(owned(pool)).append('\n'));
        found.path("guests").forEach(guest -> text.append("guest ").append(guest.path("name").asText()).append(" (")
                .append(guest.path("id").asText()).append("): ").append(guest.path("class").asText()).append(", ")
                .append(guest.path("vcpus").asText()).append(" vCPUs").append(owned(guest)).append('\n'));
        found.path("absent").forEach(name -> text.append("guest ").append(name.asText()).append(": does not run\n"));
        found.path("knobs").properties().forEach(knob -> text.append("knob ").append(knob.getKey()).append(" of a ")
                .append(knob.getValue().path("of").asText()).append(": ").append(knob.getValue().path("lowest").asText()).append(" to ")
                .append(knob.getValue().path("highest").asText()).append(", step ").append(knob.getValue().path("step").asText())
                .append(", ").append(knob.getValue().path("unit").asText()).append('\n'));
        found.path("metrics").properties().forEach(metric -> text.append("metric ").append(metric.getKey()).append(": ")
                .append(metric.getValue().path("source").asText()).append(metric.getValue().path("dear").asBoolean() ? " (dear)" : "")
                .append('\n'));
        found.path("tenants").properties().forEach(one -> text.append("tenant of ").append(one.getKey()).append(", by ")
                .append(found.path("contract").asText()).append(": ").append(told(one.getValue())).append('\n'));
        found.path("notes").forEach(note -> text.append("note: ").append(note.asText()).append('\n'));
        found.path("problems").forEach(problem -> text.append("problem: ").append(problem.asText()).append('\n'));
        StringBuilder clean = new StringBuilder();
        text.toString().lines().forEach(line -> clean.append(DisplayText.clean(line)).append('\n'));
        return clean.toString();
    }

    private static String told(com.fasterxml.jackson.databind.JsonNode tells) {
        StringJoiner words = new StringJoiner(", ");
        tells.properties().forEach(one -> words.add(one.getKey().equals("problem") ? one.getValue().asText()
                : one.getKey() + " " + one.getValue().asText()));
        return words.toString();
    }

    private static String owned(com.fasterxml.jackson.databind.JsonNode of) {
        StringBuilder text = new StringBuilder();
        of.path("owners").properties().forEach(owner -> text.append("; ").append(owner.getKey()).append(" is ")
                .append(owner.getValue().asText()).append("'s"));
        return text.toString();
    }
}
