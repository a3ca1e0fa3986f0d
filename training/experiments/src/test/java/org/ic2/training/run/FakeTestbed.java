// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A testbed of small shell scripts that speak the protocols of the real one: the load writes intervals.csv, the agent a
 * sample each 100 ms, the neighbour a stopped child and then its switches, apachectl notes what it is told.
 */
public final class FakeTestbed {
    private final Path home;
    private final Path folder;

    public FakeTestbed(Path home) throws IOException {
        this.home = home;
        folder = home.resolve("build/testbed");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(folder);
        Path shipped = home.resolve("packaging/ic2.yaml");
        Files.createDirectories(shipped.getParent());
        Files.copy(Path.of("../../packaging/ic2.yaml"), shipped, StandardCopyOption.REPLACE_EXISTING);
        script(home.resolve("bin/testbed"), """
                verb=$1; shift
                if [ $verb = outside ] || [[ $verb = inside && " $* " != *" --for "* ]]; then
                    while [ "$1" != -- ]; do shift; done
                    shift; exec "$@"
                fi
                while [ $# -gt 0 ]; do
                    case $1 in
                        --out) out=$2; shift ;;
                        --log) log=$2; shift ;;
                        --steady) steady=$2; shift ;;
                    esac
                    shift
                done
                echo "$verb $$" >> %1$s/started
                if [ $verb = load ]; then
                    [ -f %1$s/load-fails ] && { echo no data set; exit 1; }
                    case $out in *load-surge*) [ -f %1$s/surge-fails ] && exit 1 ;; esac
                    mkdir -p $out
                    while [ -f %1$s/ramping-up ]; do sleep 0.05; done
                    if [ -f %1$s/late-once ]; then
                        rm %1$s/late-once
                        begun=$(date +%%s)
                        echo time,elapsed,phase,throughput,response_time,generator_lag > $out/intervals.csv
                        while now=$(date +%%s); do
                            echo $now,$((now - begun)),steady,100,0.04,3 >> $out/intervals.csv
                            sleep 1
                        done & late=$!
                    else
                        echo time,phase,throughput,response_time > $out/intervals.csv
                        echo 1,steady,100,0.04 >> $out/intervals.csv
                    fi
                else
                    sleep 600 & child=$!
                    kill -STOP $child
                    trap 'kill -KILL $child; exit 0' TERM
                    echo time,event,program,placement,lateness_ms > $log
                    sleep $(cat %1$s/delay 2>/dev/null || echo 0.4) & wait $!
                    echo $(date +%%s.%%3N),start,\\"dcopy --size 20MB\\",same-core,0.1 >> $log
                fi
                sleep 600 & sleeper=$!
                trap 'kill -KILL $sleeper $child $late 2>/dev/null; exit 0' TERM
                wait
                """.formatted(folder));
        script(home.resolve("bin/ic2"), """
                while [ $# -gt 0 ]; do
                    case $1 in --record) record=$2; shift ;; -c) config=$2; shift ;; esac
                    shift
                done
                echo "agent $$" >> %1$s/started
                journal=$(sed -n 's/^journal: //p' $config)
                echo '{"started": true}' >> $journal
                trap 'exit 0' TERM
                echo time,member,response_time,throughput,requests,cpu_util,mitigation,label > $record.short
                head=$(cat %1$s/header)
                echo "$head" > $record
                while :; do
                    level=$(cat %1$s/level)
                    sed "s/TIME/$(date +%%s.%%3N)/; s/LEVEL/$level/" %1$s/line >> $record
                    sleep 0.1
                done
                """.formatted(folder));
        script(folder.resolve("apachectl"), """
                echo "$@" >> %1$s/apachectl.log
                for word in "$@"; do case $word in MITIGATION=*) echo ${word#*=} > %1$s/level.new; mv %1$s/level.new %1$s/level ;; esac; done
                """.formatted(folder));
        Files.writeString(folder.resolve("level"), "0\n");
        Files.writeString(folder.resolve("pool"), "pm.max_children = 60\n");
        var sample = org.ic2.knowledge.Sample.at(java.time.Instant.EPOCH)
                .settings(org.ic2.training.Generated.BASELINE)
                .set(org.ic2.knowledge.Metric.RESPONSE_TIME, 0.04).set(org.ic2.knowledge.Metric.THROUGHPUT, 100)
                .set(org.ic2.knowledge.Metric.CPU_UTIL, 0.5).set(org.ic2.knowledge.Metric.REQUESTS, 100)
                .set(org.ic2.knowledge.Metric.MITIGATION, 7777).build();
        Files.writeString(folder.resolve("header"), org.ic2.knowledge.SamplesCsv.header() + "\n");
        Files.writeString(folder.resolve("line"), org.ic2.knowledge.SamplesCsv.line(sample).replace("0.000,web", "TIME,web")
                .replace(",7777,", ",LEVEL,") + "\n");
        Files.writeString(folder.resolve("testbed.json"), """
                {"version": 1, "options": {"scheme": "https", "users": 10, "httpd": "secret"},
                 "urls": {"status": "http://127.0.0.1:1/server-status?auto"}, "ports": {"https": 1, "http": 2},
                 "cgroups": {"web": {"join": ["/nowhere/web"], "usage": "/nowhere/web"}}, "cpus": {"web": 0, "outside": 0},
                 "files": {"apachectl": "%1$s/apachectl", "tunables": "%1$s/t", "httpd_pid": "%1$s/p", "php_pool": "%1$s/pool",
                           "php_pid": "%1$s/php.pid", "environment": "%1$s/env"}}
                """.formatted(folder));
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/bash\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    public Testbed testbed() throws IOException {
        return Testbed.find(home, folder);
    }

    public Path file(String name) {
        return folder.resolve(name);
    }

    /** Processes that the run started and that still live. */
    public long alive() throws IOException {
        return Files.readAllLines(folder.resolve("started")).stream().map(line -> Long.parseLong(line.split(" ")[1]))
                .filter(pid -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()).count();
    }
}
