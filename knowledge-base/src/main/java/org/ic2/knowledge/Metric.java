// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.ic2.runtime.knob.Quantity;

/** The quantities of a {@link Sample} that IC2 ships. The order of the constants is the order of the CSV columns. */
public enum Metric implements Quantity {
    /** Mean time of a request as the client sees it, queueing included. */
    RESPONSE_TIME("response_time", "s"),
    /** The 95th percentile of the same. */
    RESPONSE_TIME_P95("response_time_p95", "s"),
    /** Completed requests per second. */
    THROUGHPUT("throughput", "1/s"),
    /** Completed requests in the interval: how much the means above are worth. */
    REQUESTS("requests", "1"),
    /** Failed requests per second; they are in neither response time nor throughput. */
    ERROR_RATE("error_rate", "1/s"),
    /** Share of the VM's CPU that is not idle as the tenant sees it (use and steal). */
    CPU_UTIL("cpu_util", "0..1"),
    /** Share of the time in which the VM was ready but did not run. */
    STEAL("steal", "0..1"),
    /** Share of the time in which the tier's threads were ready but did not run. */
    RUN_DELAY("run_delay", "0..1"),
    /** Last-level-cache miss rate. */
    CMR("cmr", "0..1"),
    /** Cycles per instruction. */
    CPI("cpi", "cycles"),
    /** Nanoseconds per dependent load of the probe. */
    MEMORY_LATENCY("memory_latency", "ns"),
    /** Connections that wait in the listen queue. */
    ACCEPT_QUEUE("accept_queue", "connections"),
    /** Time a connection waits there, by Little's law; it is part of the response time. */
    ACCEPT_QUEUE_WAIT("accept_queue_wait", "s"),
    /** Users (connections) that hold or wait for a thread: what MXC must not fall below. */
    CONNECTED_USERS("connected_users", "users"),
    /** Mean time between a user's requests, as observed. */
    THINK_TIME("think_time", "s"),
    /** Threads that serve a request or hold a kept-alive connection. */
    BUSY_WORKERS("busy_workers", "threads"),
    /** Threads that wait for a connection. */
    IDLE_WORKERS("idle_workers", "threads"),
    /** Users who wait for an answer at the end of the interval (closed-loop load). */
    PENDING_USERS("pending_users", "users"),
    /** The longest wait among them. */
    OLDEST_WAIT("oldest_wait", "s"),
    /** N/X - Z: the response time that starved users cannot flatter. */
    INTERACTIVE_RESPONSE_TIME("interactive_response_time", "s"),
    /** Share of the memory that is free or can be freed without paging. */
    MEMORY_IDLE("memory_idle", "0..1"),
    /** Share of the memory that is in active use. */
    MEMORY_ACTIVE("memory_active", "0..1"),
    /** Page faults that needed the disk. */
    PAGE_FAULTS("page_faults", "1/s"),
    /** Share of the time in which all runnable threads of the tier stalled for memory (PSI full). */
    MEMORY_PRESSURE("memory_pressure", "0..1"),
    /** The host's lack of memory where it can be seen: its own PSI, or the share it took back by ballooning. */
    HOST_MEMORY_PRESSURE("host_memory_pressure", "0..1"),
    /** Share of the time in which all runnable threads of the tier stalled for I/O (PSI full, or iowait). */
    IO_PRESSURE("io_pressure", "0..1"),
    /** Bytes read from disks. */
    DISK_READ("disk_read", "B/s"),
    /** Bytes written to disks. */
    DISK_WRITE("disk_write", "B/s"),
    /** Bytes received. */
    NETWORK_IN("network_in", "B/s"),
    /** Bytes sent. */
    NETWORK_OUT("network_out", "B/s"),
    /** MaxRequestWorkers that was in force (the paper's MaxClients). */
    MXC("mxc", "threads"),
    /** KeepAliveTimeout that was in force. */
    KAT("kat", "s"),
    /** pm.max_children that was in force. */
    PHP("php", "processes"),
    /** Mitigation level that was in force, 0 = nothing. */
    MITIGATION("mitigation", "level"),
    /** CPU_UTIL / THROUGHPUT: CPU seconds per request, as a share of the VM (paper, section 4). Derived. */
    LOAD_PER_OPERATION("load_per_operation", "s"),
    /** RESPONSE_TIME x THROUGHPUT x CPU_UTIL (paper, section 4). Derived. */
    WORK_DONE("work_done", "1"),
    /** Share of the VM's CPU that it used itself: CPU_UTIL without STEAL. */
    CPU_USED("cpu_used", "0..1"),
    /** CPU_USED / THROUGHPUT: CPU seconds per request without steal. Derived. */
    LOAD_PER_OPERATION_USED("load_per_operation_used", "s"),
    /** Requests for static files, by the ends of their names. */
    MIX_FILES("mix_files", "1/s"),
    /** Requests that were answered from a store of pages. */
    MIX_STORED("mix_stored", "1/s"),
    /** Requests that are neither GET nor HEAD. */
    MIX_WRITES("mix_writes", "1/s"),
    /** Requests for the home page, which was built. */
    MIX_HOME("mix_home", "1/s"),
    /** Requests for other built pages, in six groups by the first part of their path: the first group. */
    MIX_PAGES_1("mix_pages_1", "1/s"),
    /** The second group. */
    MIX_PAGES_2("mix_pages_2", "1/s"),
    /** The third group. */
    MIX_PAGES_3("mix_pages_3", "1/s"),
    /** The fourth group. */
    MIX_PAGES_4("mix_pages_4", "1/s"),
    /** The fifth group. */
    MIX_PAGES_5("mix_pages_5", "1/s"),
    /** The sixth group. */
    MIX_PAGES_6("mix_pages_6", "1/s"),
    /** CPU_USED over what this mix of requests takes without interference, of the last seconds: 1 if requests cost as usual. */
    COST_PER_MIX("cost_per_mix", "1"),
    /** Those of the built pages that were for members, with a session cookie of the application. */
    MIX_MEMBERS("mix_members", "1/s"),
    /** STEAL / (CPU_USED + STEAL): the share that the VM did not get of the CPU that it asked for. Derived. */
    STEAL_OF_DEMAND("steal_of_demand", "0..1"),
    /** Share of the requests whose address was not seen in the minutes before. */
    NEW_ADDRESSES("new_addresses", "0..1"),
    /** Share of the requests for pages that carried no cookie. */
    NO_COOKIE("no_cookie", "0..1"),
    /** Share of the requests whose User-Agent names a listed crawler. */
    LISTED_CRAWLERS("listed_crawlers", "0..1"),
    /** Different pages for which an address asked in the last whole ten seconds, mean of all addresses. */
    PAGES_PER_ADDRESS("pages_per_address", "1"),
    /** Different pages over all requests for pages in the last whole ten seconds: small where all ask for a few. */
    PAGE_SPREAD("page_spread", "0..1"),
    /** Share of the machine's CPU that the busiest group of processes beside the tier took. */
    OTHER_CPU("other_cpu", "0..1"),
    /** Share of the TCP segments that had to be sent again, in the last 10 s. */
    RETRANSMITS("retransmits", "0..1"),
    /** Packets that the send queue of an interface dropped. */
    SEND_DROPS("send_drops", "1/s"),
    /** Requests that httpd asked to come later, the wall's and crawlers'; they are in no other figure of requests. */
    TURNED_AWAY("turned_away", "1/s");

    /** The classes of requests that make a mix; {@link #MIX_MEMBERS} are among its pages. */
    public static final List<Metric> MIX = List.of(MIX_FILES, MIX_STORED, MIX_WRITES, MIX_HOME, MIX_PAGES_1, MIX_PAGES_2,
            MIX_PAGES_3, MIX_PAGES_4, MIX_PAGES_5, MIX_PAGES_6);

    private static final Map<String, Metric> BY_COLUMN =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Metric::column, Function.identity()));

    private final String column;
    private final String unit;

    Metric(String column, String unit) {
        this.column = column;
        this.unit = unit;
    }

    @Override
    public String column() {
        return column;
    }

    @Override
    public String unit() {
        return unit;
    }

    /** True if the value follows from other values of the same sample. */
    public boolean derived() {
        return this == LOAD_PER_OPERATION || this == WORK_DONE || this == LOAD_PER_OPERATION_USED || this == STEAL_OF_DEMAND;
    }

    /** The metric of a column, if there is one. */
    public static Optional<Metric> ofColumn(String column) {
        return Optional.ofNullable(BY_COLUMN.get(column));
    }
}
