// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.BackendProviders;
import org.ic2.host.backend.cgroup.CgroupBackend;
import org.ic2.host.backend.intensity.IntensityBackend;
import org.ic2.host.backend.intensity.IntensityMeters;
import org.ic2.host.backend.libvirt.LibvirtBackend;
import org.ic2.host.backend.qemu.QemuBackend;
import org.ic2.host.backend.replay.ReplayBackend;
import org.ic2.host.backend.resctrl.ResctrlBackend;
import org.ic2.host.backend.xen.XenBackend;
import org.ic2.host.config.BackendChoice;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.IntensityChoice;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.yaml.ConfigException;

/** The hosts that can be managed, by what the configuration says. */
public final class Backends {

    private Backends() {
    }

    /**
     * Opens the one that a configuration names, with the meter of the guests' memory intensity where placement wants one that the
     * backend has not itself; it changes nothing, but what it measures by may be made when it is read.
     *
     * @throws ConfigException when a file that it is made of is wrong
     */
    public static Backend open(HostConfig config) throws IOException, ConfigException, InterruptedException {
        return open(config, true);
    }

    /** The same for who only looks: a meter makes nothing, and reads what a running agent has made to measure by. */
    public static Backend openToLook(HostConfig config) throws IOException, ConfigException, InterruptedException {
        return open(config, false);
    }

    private static Backend open(HostConfig config, boolean writes) throws IOException, ConfigException, InterruptedException {
        requireDirectories(config);
        Backend backend = open(config.backend());
        Optional<IntensityChoice.Source> source = config.placement().map(placement -> placement.intensity().source())
                .filter(of -> of != IntensityChoice.Source.BACKEND);
        boolean real = config.backend() instanceof BackendChoice.Cgroup || config.backend() instanceof BackendChoice.Libvirt
                || config.backend() instanceof BackendChoice.Xen;
        return source.isEmpty() || !real ? backend : IntensityBackend.of(backend, IntensityMeters.of(source.get().key(), new LocalHost(),
                System::nanoTime, writes), config::merged);
    }

    /** A directory may come with the first guest, so it is no error of the file. */
    private static void requireDirectories(HostConfig config) throws IOException, InterruptedException {
        if (!(config.backend() instanceof BackendChoice.Cgroup cgroup)) {
            return;
        }
        if (!new CgroupBackend(new LocalHost(), cgroup.groups()).isThere()) {
            throw new IOException(config.at("backend.groups") + ": expected the name of the control group whose children are the guests,"
                    + " got \"" + cgroup.groups() + "\", and there is none below " + CgroupFiles.ROOT + " with the cpu or memory controller"
                    + " (does a guest run?)");
        }
        if (cgroup.qmp().isPresent() && !Files.isDirectory(Path.of(cgroup.qmp().get()))) {
            throw new IOException(config.at("backend.qmp") + ": expected the directory of QEMU's monitors, got " + cgroup.qmp().get()
                    + ", and there is no such directory");
        }
    }

    /**
     * Opens one; it changes nothing.
     *
     * @throws ConfigException when a file that it is made of is wrong
     */
    public static Backend open(BackendChoice choice) throws IOException, ConfigException {
        Host here = new LocalHost();
        if (choice instanceof BackendChoice.Cgroup cgroup) {
            return cgroup.qmp().isPresent() ? new QemuBackend(here, cgroup.qmp().get(), Optional.of(CgroupBackend.ofMachines(here, cgroup.groups())))
                    : ResctrlBackend.of(new CgroupBackend(here, cgroup.groups()), here);
        }
        if (choice instanceof BackendChoice.Libvirt) {
            return ResctrlBackend.of(new LibvirtBackend(here), here);
        }
        if (choice instanceof BackendChoice.Added added) {
            return BackendProviders.all().get(added.type()).open(added.file());
        }
        if (choice instanceof BackendChoice.Replay replay) {
            return new ReplayBackend(replay.file());
        }
        return new XenBackend(here);
    }
}
