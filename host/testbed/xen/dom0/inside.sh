# SPDX-License-Identifier: Apache-2.0
# inside.sh WORD...: a command of the guest of talk.sh, by its console (tenant.sh); output, errors and status are the command's.
# As few processes as can be: each is dear here.
read -r terminal </tmp/tenant.tty
printf '%s\n' "$$ $#" "$@" >"$terminal"
while :; do
    sleep 0.05
    said=$(grep "^$$ " /var/log/xen/guest-tenant.log)
    case $said in *"$$ rc "[0-9]*[!0-9]*) break ;; esac
done
return=$(printf '\r')
while IFS= read -r line; do
    line=${line%"$return"}
    case $line in
        "$$ out "*) printf '%s\n' "${line#* out }" ;;
        "$$ err "*) printf '%s\n' "${line#* err }" >&2 ;;
        "$$ rc "*) exit "${line##* }" ;;
    esac
done <<SAID
$said
SAID
