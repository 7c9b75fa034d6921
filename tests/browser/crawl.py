"""The kinds of pages that visitors of a running site find."""

import re
from urllib.parse import urldefrag, urljoin, urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import APIRequestContext

LINK = re.compile(r'href="([^"]+)"')
MOST_LOOKED_AT = 120
"""Pages whose links are followed: by then each kind has been met."""
TYPED = ("/nothing/here/", "/search/?q=a+picture", "/search/", "/compare/")


def kind_of(path: str) -> str:
    """Pages of one address pattern look alike; each board has tables of its own."""
    try:
        match = resolve(path)
    except Resolver404:
        return ""
    name = match.view_name or str(match.route)
    return f"{name} {match.kwargs['slug']}" if name == "board" else name


def kinds_of_pages(home: str, request: APIRequestContext) -> dict[str, str]:
    """The first address of each kind of page that visitors find by links, and some they type.

    home: address of the site, without a slash at its end.
    """
    waiting = [f"{home}{path}" for path in ("/", *TYPED)]
    found = {f"typed {path}": f"{home}{path}" for path in TYPED}
    seen = set(waiting)
    for _ in range(MOST_LOOKED_AT):
        if not waiting:
            break
        address = waiting.pop(0)
        reply = request.get(address)
        if "text/html" not in reply.headers.get("content-type", ""):
            continue
        path = urlsplit(address).path
        if reply.ok:
            found.setdefault(kind_of(path), address)
        for link in LINK.findall(reply.text()):
            target = urldefrag(urljoin(address, link.replace("&amp;", "&"))).url
            is_ours = target.startswith(f"{home}/")
            is_new = target not in seen and kind_of(urlsplit(target).path) not in found
            if is_ours and is_new and not urlsplit(target).path.startswith("/admin/"):
                seen.add(target)
                waiting.append(target)
    return found
