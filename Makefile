# SPDX-License-Identifier: Apache-2.0
# The front door. `make test` and `make demo` are all a newcomer needs; `make help` lists the rest.

PYTHON ?= /usr/bin/python3
MAVEN  ?= mvn
BUILD  := build
DASHBOARDS = $(BUILD)/dashboards
VERSION = $(shell packaging/version)
HOST_VERSION = $(shell packaging/version host)
VERSIONS = -Dic2.version=$(VERSION) -Dic2.host.version=$(HOST_VERSION)
PYTEST  = $(PYTHON) -m pytest -q -p no:cacheprovider
# Seconds until a test that hangs is ended and named, by pytest-timeout, which reads this name. The rest of its suite goes on.
export PYTEST_TIMEOUT ?= 1200

# Packages of Debian 12 and 13, by what needs them. Names without a version: PHP, Java and clang are those of the release.
PACKAGES_HTTPD = build-essential dpkg-dev ca-certificates curl patch python3 git openssl libapr1-dev libaprutil1-dev \
	libpcre2-dev libssl-dev zlib1g-dev libnghttp2-dev
PACKAGES_TEST  = python3 python3-pytest python3-pytest-xdist python3-pytest-timeout python3-yaml python3-jsonschema nghttp2-client wrk iproute2 stress-ng clang libclang-rt-dev \
	chromium chromium-driver openssh-server openssh-client haproxy debhelper lintian prometheus python3-venv mmdebstrap php-apcu
PACKAGES_JAVA  = default-jdk-headless maven
PACKAGES_WEB   = php-fpm php-cli php-mysql php-sqlite3 php-mbstring php-gd mariadb-server procps
PACKAGES_AGENT = sysstat
# For check-xen and check-v2 alone; kernels, Xen and busybox are unpacked below build/hostlab, not installed.
PACKAGES_XEN   = qemu-system-x86 mmdebstrap cpio build-essential
PACKAGES_V2    = qemu-system-x86 mmdebstrap cpio e2fsprogs
# What the agent's package is built with.
PACKAGES_DEB = $(PACKAGES_JAVA) build-essential debhelper
PACKAGES_DEMO = $(PACKAGES_HTTPD) $(PACKAGES_JAVA) $(PACKAGES_WEB) $(PACKAGES_AGENT)
PACKAGES = $(PACKAGES_DEMO) $(PACKAGES_TEST)
# What builds need first: `make demo` asks for deps-demo.
DEPS ?= deps

# What `java-apache` makes, and of what; and what follows a build: the archives of class data, and the mark of success.
# `java` adds the module that links Weka, the only one under the GPL, and the one that needs Spark (300 MB, once).
JARS    = ic2-agent/target/ic2.jar host/agent/target/ic2-host.jar host/lab/target/ic2-host-lab.jar faban-drivers/runtime/target/ic2-load.jar \
	training/experiments/target/ic2-experiments.jar
MODULES = agent-runtime knowledge-base ic2-agent host/agent host/lab examples tests/fuzz faban-drivers training/experiments
WEKA    = training/weka
FLEET   = training/fleet
BUILT   = bin/ic2 --version >/dev/null && bin/ic2-host --version >/dev/null && bin/ic2-host-lab --version >/dev/null && bin/ic2-load --version >/dev/null && mv $(BUILD)/.java-begun $(BUILD)/.java-apache

.PHONY: help deps deps-demo httpd httpd-stock java java-apache deb packages wordpress interference limiter dashboards dashboards-sdk \
	demo test test-docs test-structure test-runner test-httpd test-closed test-series test-java test-agent test-host test-packages test-images test-faults test-faults-short check-xen check-v2 check-sources check-compare-host test-interference test-limiter test-web test-web-times test-testbed test-times test-fleet test-experiments test-training test-asan fuzz \
	bench-reconfigure bench-overhead bench-instructions bench-standby bench-baseline bench-decide bench-host bench-load bench-quiet bench-page bench-fleet clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what builds and tests need; no service of theirs starts, now or at boot
	@PACKAGES="$(PACKAGES)" ./.ci/deps

deps-demo: ## install what the demo needs alone
	@PACKAGES="$(PACKAGES_DEMO)" ./.ci/deps

httpd: $(DEPS) ## build the patched httpd and mod_standby into build/httpd (cached), for tests: of what source there is, with a note if it is old
	httpd-online/build.sh --allow-older

httpd-stock: httpd ## build httpd without our patches, with what its tests load, into build/httpd-stock-small (cached)
	$(PYTHON) httpd-online/tests/harness/build.py

# $(call build,MARK,JARS,MODULES,COMMANDS): packages what is older than its sources
build = @if ! ls $(2) $(BUILD)/$(1) >/dev/null 2>&1 || [ -n "$$(find pom.xml host/pom.xml $(3) -name target -prune -o \
		\( -name pom.xml -o -path '*/src/*' \) -newer $(BUILD)/$(1) -print -quit)" ]; then \
	mkdir -p $(BUILD) && touch $(BUILD)/.java-begun && $(MAVEN) -B -q -DskipTests $(VERSIONS) $(4); \
fi

java: $(DEPS) ## build the Java modules (cached)
	$(call build,.java,$(JARS) $(WEKA)/target/ic2-train.jar $(FLEET)/target/ic2-fleet.jar,$(MODULES) $(WEKA) $(FLEET),package && $(BUILT) && \
		cp -p $(BUILD)/.java-apache $(BUILD)/.java)

java-apache: $(DEPS) ## the same without the part under the GPL (fit, pipeline, evaluate --training) and the one on Spark (cached)
	$(call build,.java-apache,$(JARS),$(MODULES),-pl '!$(WEKA)' -pl '!$(FLEET)' package && $(BUILT))

deb: ## the agent's Debian package in ic2-agent/target, of VERSION (default: packaging/version); installs what builds it alone
	@PACKAGES="$(PACKAGES_DEB)" ./.ci/deps
	$(MAVEN) -B -q -DskipTests -Dic2.version=$(VERSION) -pl ic2-agent -am package
	packaging/make-deb

packages: deps ## all Debian packages in build/packages: ic2, ic2-host, ic2-train, mod_standby for Debian 12 and 13, and apache2 with our patches for the release of this machine (as root; a quarter of an hour once)
	$(MAVEN) -B -q -DskipTests $(VERSIONS) package
	packaging/make-deb --all
	@PACKAGES=mmdebstrap ./.ci/deps
	packaging/make-mod-standby --release bookworm
	packaging/make-mod-standby --release trixie
	packaging/make-apache2

wordpress: deps ## unpack Debian's WordPress and httpd into build/debian (cached); nothing is installed
	testbed/wordpress/fetch

interference: $(DEPS) ## build dcopy, llcprobe and neighbour into build/interference
	$(MAKE) -s -C training/interference

limiter: httpd ## build the concurrency limiter that compare's arm `limit` needs into build/limiter
	$(MAKE) -s -C training/limiter

dashboards: dashboards-sdk ## write dashboards/tier.json and fleet.json anew
	$(DASHBOARDS)/bin/python dashboards/generate.py

# Without it the dashboards are tried as they are.
dashboards-sdk: deps
	@[ -e $(DASHBOARDS)/.made ] && [ ! dashboards/requirements.txt -nt $(DASHBOARDS)/.made ] || { rm -rf $(DASHBOARDS) && \
		$(PYTHON) -m venv $(DASHBOARDS) && $(DASHBOARDS)/bin/pip install -q --require-hashes -r dashboards/requirements.txt && \
		touch $(DASHBOARDS)/.made; } || echo "dashboards: no SDK of Grafana from PyPI; nothing compares tier.json and fleet.json with generate.py"

demo: ## a neighbour, the web tier, IC2 off and on: ten minutes and a report; installs and builds what it needs
	@bin/demo

# What runs beside what, and when, is in there.
test: ## run the suites side by side, to the end, with one table: half an hour. Not in it: test-packages, test-images, test-series, test-asan, test-faults, check-*, fuzz
	@tests/runner/run

test-docs: java ## links, anchors, names and language of pages; commands and figures of README and docs/results.md
	$(PYTEST) -n 2 docs/tests

test-structure: deps ## what may depend on what, lengths, names: the rules of the house over all Java sources
	$(PYTEST) -n 2 tests/structure

test-runner: deps ## what `make test` itself does when suites are red, die, or are interrupted
	$(PYTEST) tests/runner

test-httpd: httpd httpd-stock wordpress ## the patched httpd, worker and event
	$(PYTEST) -n 6 httpd-online/tests

test-series: deps ## each part of the httpd series by itself: git am, build, try (a build each)
	$(PYTEST) httpd-online/tests/test_parts.py --parts

test-interference: $(DEPS) ## the interference programs
	.ci/first $(AT_ONCE) $(MAKE) -s -C training/interference test

test-limiter: httpd ## the concurrency limiter
	$(MAKE) -s -C training/limiter test

# Packages nothing: what runs beside it has the jars open.
test-java: java ## all Java modules
	MAVEN="$(MAVEN)" $(ASIDE) .ci/maven-test -B -q -T 2 $(VERSIONS) test

test-agent: httpd java-apache dashboards-sdk ## the agent as a service: its dashboard in a browser, what Prometheus and systemd hear of it; files for containers
	$(PYTEST) -n 3 --dist loadfile ic2-agent/src/test/system tests/images/test_files.py

# The Java tests of host/agent and host/lab are in test-java.
test-host: java-apache ## the host's agent on real control groups: restore after kill -9, advice without a write, joint control (as root)
	$(PYTEST) host/testbed/tests host/testbed/xen/tests

test-packages: java ## the packages on a plain Debian 12 and 13 that serve WordPress, MediaWiki and DokuWiki: ic2 init, mod_standby, apache2 with our patches, and back (made by mmdebstrap; as root)
	@PACKAGES=mmdebstrap ./.ci/deps
	packaging/make-apache2 --release bookworm --allow-older
	packaging/make-mod-standby --release bookworm
	packaging/make-mod-standby --release trixie
	$(PYTEST) tests/packages

test-images: deps ## the images, built by podman, and the tier of compose.yaml in what was built (minutes, as root)
	@PACKAGES="mmdebstrap podman curl" ./.ci/deps
	$(PYTEST) tests/images/test_images.py

test-faults-short: httpd java-apache ## what once went wrong of stops, kills, hung helpers and full disks, and a few drawn trials
	$(PYTEST) -n 4 --dist loadgroup tests/faults

test-faults: httpd java-apache ## 1000 trials drawn from a seed (SEED, TRIALS): agent, helper and httpd broken on purpose
	tests/faults/run --trials $(or $(TRIALS),1000) $(if $(SEED),--seed $(SEED))

check-sources: deps ## which sources of httpd that this machine can get take the series: a line each, red if the newest does not or cannot be had (a minute)
	httpd-online/build.sh --check-apply

check-compare-host: java-apache ## host and tenant together on the testbed, in the shortest form of `ic2-train compare --host` (about 6 minutes, as root)
	$(PYTEST) training/tests/check_compare_host.py

check-xen: java-apache ## the host's experiments on real Xen under QEMU: weights, caps, traces, balloons (about 25 minutes on two CPUs, as root; host/docs/study.md)
	@PACKAGES="$(PACKAGES_XEN)" ./.ci/deps
	host/testbed/xen/check

check-v2: java-apache ## the host's agent on a kernel with control groups of version 2 alone, under QEMU (some minutes, as root; host/docs/study.md)
	@PACKAGES="$(PACKAGES_V2)" ./.ci/deps
	host/testbed/v2/check

test-web: httpd limiter ## the web application on both databases, in a browser, and on every level of the ladder
	$(PYTEST) -n 3 --dist loadgroup $(APART:%=--ignore %) faban-drivers/webapp/tests docker/web/tests

test-testbed: httpd java interference wordpress ## the testbed: up, load, neighbour, faults, down; WordPress too
	$(PYTEST) -n 3 --dist loadgroup $(APART:%=--ignore %) testbed/tests

test-training: httpd java interference ## the demo interrupted, pages of the training, licences
	$(PYTEST) -n 2 --dist loadgroup $(APART:%=--ignore %) training/tests

# Told by times, beside what hardly needs a CPU.
WEB_TIMES = faban-drivers/webapp/tests/test_times.py
# Told by times. Those of a folder share a testbed.
TIMES = testbed/tests/test_effect.py training/tests/test_alarms.py training/tests/test_demo_busy.py
# Too much for a machine that does something else as well, but what they tell is what was done, not how fast.
EXPERIMENTS = training/tests/test_compare.py training/tests/test_compare_cluster.py training/tests/test_pipeline.py
# Computes, and waits for nothing but itself.
FLEET_TESTS = training/tests/test_fleet_cluster.py training/tests/test_fleet_errors.py
APART = $(WEB_TIMES) $(TIMES) $(EXPERIMENTS) $(FLEET_TESTS)

test-times: httpd java interference ## what is told by times, one after the other: what a neighbour does and what is none, and the demo beside the work of others
	@status=0; \
	MAVEN="$(MAVEN)" .ci/first .ci/maven-test -B -q -Dic2.version=$(VERSION) -pl faban-drivers/runtime -am -Dtests.apart= -Dgroups=times test || status=1; \
	for tests in $(TIMES); do .ci/first $(PYTEST) $$tests || status=1; done; exit $$status

test-web-times: httpd java ## that waits and work of a page are as set
	.ci/first $(AT_ONCE) $(PYTEST) $(WEB_TIMES)

test-fleet: java ## ic2-fleet as a command, and on a cluster of Spark whose worker is killed
	$(ASIDE) $(PYTEST) $(FLEET_TESTS)

test-experiments: httpd java interference ## a whole compare, one of a cluster, and a whole training, one after the other
	$(PYTEST) $(EXPERIMENTS)

test-closed: httpd java interference ## some of each in a clone that servers cannot enter, whose path is long and has spaces
	MAVEN="$(MAVEN)" PYTEST="$(PYTEST)" .ci/closed

test-asan: deps ## the httpd tests on a build with AddressSanitizer, UBSan and httpd's assertions
	httpd-online/build.sh --allow-older --sanitize
	$(PYTEST) -n 3 httpd-online/tests --asan

FUZZ_SECONDS ?= 600

fuzz: httpd java-apache ## fuzz httpd's parser of the tunables file for a minute, then mod_standby's and each parser of the agent for FUZZ_SECONDS
	httpd-online/tests/unit/fuzz.sh 60
	httpd-online/standby/tests/fuzz.sh $(FUZZ_SECONDS)
	MAVEN="$(MAVEN)" tests/fuzz/fuzz $(FUZZ_SECONDS)

bench-reconfigure: httpd ## what a change costs: reconfigure, graceful and restart in turn
	httpd-online/build.sh --allow-older --stock
	httpd-online/bench/reconfigure

bench-overhead: httpd ## patched against stock httpd, paired
	httpd-online/build.sh --allow-older --stock
	httpd-online/bench/overhead

bench-instructions: httpd ## the same, counted in instructions (needs valgrind)
	httpd-online/build.sh --allow-older --stock
	httpd-online/bench/instructions

bench-standby: httpd ## what mod_standby costs a page and a static file on level 0, and what hostile requests cost (needs valgrind)
	httpd-online/bench/standby-instructions
	httpd-online/bench/hostile

bench-baseline: httpd java-apache ## how long after kill -9 the baseline is in force again: by ic2-baseline and by Java, beside stress-ng --cpu 16
	tests/faults/time-to-baseline

bench-decide: deps ## the time of one decision, and of what it learns of the mix of requests (JMH)
	$(MAVEN) -B -q -DskipTests -pl agent-runtime -am install
	$(MAVEN) -B -q -f knowledge-base -Pjmh test-compile exec:exec

bench-host: java-apache ## the time of one turn's decisions on a host of 50 guests; what turns cost on 50 real control groups (as root; 4 minutes)
	$(MAVEN) -B -q -DskipTests -pl agent-runtime install
	$(MAVEN) -B -q -f host/agent test-compile exec:exec -Dexec.executable=java -Dexec.classpathScope=test \
	  -Dexec.args="-cp %classpath org.ic2.host.control.TurnBench"
	$(PYTHON) host/testbed/bench/turns.py

bench-quiet: httpd java wordpress ## what the ladder's configuration costs a WordPress while no neighbour runs (12 minutes)
	testbed/bench/quiet

bench-page: httpd java ## what http: and each viewer of the agent's page cost it, beside a real httpd without a neighbour (a quarter of an hour)
	testbed/bench/page

bench-fleet: java ## what ic2-fleet costs at 1, 10 and 100 million generated rows (ROWS="1000000,..."), and Weka on what it can hold (an hour and a half on two idle cores, 40 GB of disk)
	training/fleet/bench/scale $(if $(ROWS),--rows $(ROWS))

bench-load: java ## what the load generator itself costs with 1500 users
	faban-drivers/bench/cost

clean: ## remove everything that was built or measured here
	@# what had to go elsewhere is a link
	[ ! -d $(BUILD) ] || find $(BUILD) -maxdepth 2 -lname '/var/tmp/ic2-*' -printf '%l\n' | cut -d/ -f1-4 | sort -u | xargs -r rm -rf
	rm -rf $(BUILD)
	find . -name target -type d -not -path './build/*' -prune -exec rm -rf {} +
