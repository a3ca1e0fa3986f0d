# SPDX-License-Identifier: Apache-2.0
# The front door. `make test` and `make demo` are all a newcomer needs; `make help` lists the rest.

PYTHON ?= /usr/bin/python3
BUILD  := $(CURDIR)/build

# Debian 12 packages, by what needs them.
PACKAGES_HTTPD = build-essential dpkg-dev ca-certificates curl patch openssl libapr1-dev libaprutil1-dev \
	libpcre2-dev libssl-dev zlib1g-dev libnghttp2-dev
PACKAGES_TEST  = python3 python3-pytest nghttp2-client wrk procps iproute2 clang-14 libclang-rt-14-dev
PACKAGES_JAVA  = openjdk-17-jdk-headless maven
PACKAGES_WEB   = php8.2-fpm php8.2-cli php8.2-mysql php8.2-sqlite3 php8.2-mbstring php8.2-gd mariadb-server sysstat \
	openssh-server openssh-client chromium chromium-driver
PACKAGES = $(PACKAGES_HTTPD) $(PACKAGES_TEST) $(PACKAGES_JAVA) $(PACKAGES_WEB)

.PHONY: help deps test demo clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what Debian 12 needs, by package name
	@PACKAGES="$(PACKAGES)" ./.ci/deps

clean: ## remove everything that was built or measured here
	rm -rf $(BUILD)
