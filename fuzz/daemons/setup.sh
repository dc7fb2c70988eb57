#!/bin/bash
# Make (or complete) a folder with a small Debian system that has the HTCondor
# daemons, for `python -m fuzz daemons`.
#
#   setup.sh DIR            make DIR if needed, install condor, mount proc/dev/sys
#   setup.sh --umount DIR   undo the mounts (do this before removing DIR)
#
# Environment: SUITE   Debian suite to use (default: forky, then sid if forky has
#                      no suitable package)
#              WANT_MAJOR  first number of the version (default: 25; trixie has 23)
#              MIRROR  package mirror (default: the one this machine's apt uses)
#
# Needs root, debootstrap and a working apt configuration.  Running it again on
# the same folder only does what is still missing.
set -euo pipefail

WANT_MAJOR=${WANT_MAJOR:-25}
fail() { echo "setup.sh: $*" >&2; exit 1; }

umount_all() {
    local m
    for m in sys dev proc; do
        if mountpoint -q "$1/$m"; then umount -l "$1/$m"; fi
    done
}

if [ "${1:-}" = "--umount" ]; then
    [ $# -eq 2 ] || fail "usage: setup.sh --umount DIR"
    umount_all "$2"
    exit 0
fi
[ $# -eq 1 ] || fail "usage: setup.sh DIR"
[ "$(id -u)" = 0 ] || fail "must run as root (a chroot is made)"
DIR=$1
case $DIR in /*) ;; *) DIR=$PWD/$DIR ;; esac

# the mirror of this machine's own apt configuration
mirror() {
    if [ -n "${MIRROR:-}" ]; then echo "$MIRROR"; return; fi
    local uri
    uri=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
          awk '$1 == "Debian" { print $2; exit }')
    if [ -z "$uri" ]; then     # no lists fetched yet: read the source entries
        uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
              sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' |
              grep '/debian/\?$' | head -n 1) || true
    fi
    [ -n "$uri" ] || fail "no Debian mirror in the apt configuration; set MIRROR"
    echo "$uri"
}

have_condor() {
    [ -x "$DIR/usr/sbin/condor_negotiator" ] && [ -x "$DIR/usr/sbin/condor_schedd" ] &&
    [ -x "$DIR/usr/sbin/condor_collector" ] && [ -x "$DIR/usr/sbin/condor_advertise" ]
}

do_mounts() {
    local m
    mkdir -p "$DIR/proc" "$DIR/dev" "$DIR/sys"
    mountpoint -q "$DIR/proc" || mount -t proc proc "$DIR/proc" || fail "cannot mount proc (is this container privileged?)"
    if ! mountpoint -q "$DIR/dev"; then
        mount --bind /dev "$DIR/dev" || fail "cannot bind-mount /dev"
    fi
    mountpoint -q "$DIR/sys" || mount -t sysfs sysfs "$DIR/sys" || fail "cannot mount sysfs"
}

if ! have_condor; then
    command -v debootstrap >/dev/null || fail "debootstrap is missing (apt-get install debootstrap)"
    M=$(mirror)
    for S in ${SUITE:-forky sid}; do
        if [ ! -e "$DIR/etc/debian_version" ] || [ -d "$DIR/debootstrap" ]; then
            echo "setup.sh: debootstrap $S into $DIR"
            umount_all "$DIR"
            rm -rf "$DIR/debootstrap"
            mkdir -p "$DIR"
            # an older debootstrap does not know a newer suite, which is made like sid
            rules=/usr/share/debootstrap/scripts; how=; [ -e "$rules/$S" ] || how=$rules/sid
            if ! debootstrap --variant=minbase "$S" "$DIR" "$M" $how > "$DIR.debootstrap.log" 2>&1; then
                tail -n 5 "$DIR.debootstrap.log" >&2
                fail "debootstrap of $S failed; the whole log is $DIR.debootstrap.log"
            fi
            rm -f "$DIR.debootstrap.log"
        fi
        do_mounts
        cp /etc/resolv.conf "$DIR/etc/resolv.conf"
        apt-config dump 2>/dev/null | grep -i '^Acquire::https\?::Proxy ' > "$DIR/etc/apt/apt.conf.d/90proxy" || true
        # nothing may be started inside
        printf '#!/bin/sh\nexit 101\n' > "$DIR/usr/sbin/policy-rc.d"
        chmod 755 "$DIR/usr/sbin/policy-rc.d"
        echo "setup.sh: installing condor in $DIR"
        # a frozen mirror or a machine with a fast clock has an expired (still signed) Release file
        chroot "$DIR" apt-get -q -o Dpkg::Use-Pty=0 -o Acquire::Check-Valid-Until=false update > "$DIR/tmp/apt.log" 2>&1 ||
            { tail -n 5 "$DIR/tmp/apt.log" >&2; fail "apt-get update failed inside $DIR"; }
        V=$(chroot "$DIR" apt-cache policy condor | sed -n 's/^ *Candidate: //p')
        case $V in
            $WANT_MAJOR.*) ;;
            *)  echo "setup.sh: $S offers condor '${V:-none}', wanted $WANT_MAJOR.x" >&2
                umount_all "$DIR"
                rm -rf --one-file-system "$DIR"
                continue ;;
        esac
        chroot "$DIR" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0 \
            install --no-install-recommends condor procps >> "$DIR/tmp/apt.log" 2>&1 ||
            { tail -n 5 "$DIR/tmp/apt.log" >&2; fail "installing condor failed; see $DIR/tmp/apt.log"; }
        chroot "$DIR" apt-get clean
        break
    done
    have_condor || fail "no suite with condor $WANT_MAJOR.x among: ${SUITE:-forky sid}"
fi

do_mounts
grep -q '^condor:' "$DIR/etc/passwd" || fail "the package made no 'condor' account"
chroot "$DIR" setpriv --version >/dev/null 2>&1 || fail "setpriv (util-linux) is missing in $DIR"
VERSION=$(chroot "$DIR" condor_version | sed -n 's/^.CondorVersion: \([^ ]*\).*/\1/p')
echo "setup.sh: HTCondor $VERSION is ready in $DIR"
case $VERSION in
    25.14.1) ;;
    *) echo "setup.sh: note: the stored vectors were recorded with 25.14.1" ;;
esac
