"""The network of an address, for counting."""

import ipaddress
from functools import lru_cache

_LONGEST = 64  # of an address with its zone; what a header says may be anything


def network_of(address: str) -> str:
    """The network by which an address is counted; an IPv6 address by its /64."""
    return _network_of(address[:_LONGEST])


@lru_cache(maxsize=4096)
def _network_of(address: str) -> str:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    # A subscriber is usually given a whole /64, so single IPv6 addresses limit nobody.
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
