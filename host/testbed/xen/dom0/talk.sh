# SPDX-License-Identifier: Apache-2.0
# The contract between host and tenant. talk.sh guests: a guest called tenant that does what inside.sh says, and g1 beside it.
# talk.sh keep NAME: what stands in xenstore of both.
. /out/lib.sh
case $1 in
    guests)
        guest g1 1 100
        tenant "" </out/tenant.sh
        up g1 tenant
        xenstore-read "/local/domain/$(xl domid tenant)/console/tty" >/tmp/tenant.tty
        ;;
    keep) keep "$2" sh -c 'for name in tenant g1; do echo "$name"; xenstore-ls -fp "/local/domain/$(xl domid $name)/data"; done' ;;
esac
