#!/bin/sh
# Installs what the tests need and Debian packages, where it is missing.
#
#     deploy/install_debian.sh [services] [browser] [rabbitmq] [roots]      no name means the first two
#
#   services  the PostgreSQL server programs and a Redis, for deploy/private_services.py, the proxy of a site,
#             and clocks that are wrong on purpose, for `make drill`
#   browser   Chromium and the fonts of the reference screenshots
#   rabbitmq  the other broker, for `make drill`
#   roots     debootstrap, for `make fresh-roots`
#
# What is there already is left alone. The system services that the packages bring along are not wanted
# and do not stay running: the tests start servers of their own.
set -eu

usage() {
    echo "usage: deploy/install_debian.sh [services] [browser] [rabbitmq] [roots]" >&2
    exit 2
}

have_postgres() {
    command -v initdb || ls /usr/lib/postgresql/*/bin/initdb
}

have_redis() {
    command -v redis-server || command -v valkey-server
}

have_caddy() {
    command -v caddy
}

have_rabbitmq() {
    ls /usr/lib/rabbitmq/bin/rabbitmq-server
}

have_debootstrap() {
    ls /usr/sbin/debootstrap
}

have_faketime() {
    ls /usr/lib/*/faketime/libfaketimeMT.so.1
}

have_chromium() {
    command -v chromium
}

have_fonts() {
    ls /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
}

# Prints the packages of the groups named whose programs are missing.
missing_packages() {
    for group in "$@"; do
        case $group in
            services)
                have_postgres >/dev/null 2>&1 || echo postgresql
                have_redis >/dev/null 2>&1 || echo redis-server
                have_caddy >/dev/null 2>&1 || echo caddy
                have_faketime >/dev/null 2>&1 || echo faketime
                ;;
            browser)
                have_chromium >/dev/null 2>&1 || echo chromium
                have_fonts >/dev/null 2>&1 || echo fonts-dejavu-core
                ;;
            rabbitmq)
                have_rabbitmq >/dev/null 2>&1 || echo rabbitmq-server
                ;;
            roots)
                have_debootstrap >/dev/null 2>&1 || echo debootstrap
                ;;
        esac
    done
}

# RUNLEVEL=1 tells the packages' scripts that nothing is to be started. It has no say where systemd runs
# (keep_stopped is for that), but saves containers and chroots from stray servers.
apt_as_root() {
    $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

keep_stopped() {
    if [ -d /run/systemd/system ]; then
        $as_root systemctl disable --now "$1"
    elif $as_root service "$1" status >/dev/null 2>&1; then
        $as_root service "$1" stop
    fi
}

for group in "$@"; do
    case $group in
        services | browser | rabbitmq | roots) ;;
        *) usage ;;
    esac
done
[ $# -gt 0 ] || set -- services browser

# One line of names; the programs' own paths hold no spaces.
packages=$(missing_packages "$@" | xargs)
if [ -z "$packages" ]; then
    echo "install_debian: nothing is missing."
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi
if ! command -v apt-get >/dev/null || { [ -n "$as_root" ] && ! command -v sudo >/dev/null; }; then
    echo "install_debian: as root on Debian, install these packages: $packages" >&2
    exit 1
fi

apt_as_root update
# shellcheck disable=SC2086 # a list of names
apt_as_root install --no-install-recommends $packages
for package in $packages; do
    case $package in
        postgresql | redis-server | caddy | rabbitmq-server) keep_stopped "$package" ;;
    esac
done

packages=$(missing_packages "$@" | xargs)
if [ -n "$packages" ]; then
    echo "install_debian: installed, yet their programs are not found: $packages" >&2
    exit 1
fi
