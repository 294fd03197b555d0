#!/usr/bin/python3
"""Reads feeds as a feed reader does, with feedparser.

    tools/clients/feeds.py URL|FILE...

Runs under the system's Python, which is where Debian puts feedparser.
Prints one JSON object a feed: its title, id, link, updated and its entries (id,
title, link, published, updated, the text of the content). Exit 1 if a feed is
not well formed or lacks what a reader needs, with the reason on standard error.
"""

import json
import sys

try:
    import feedparser
except ImportError:
    sys.exit("feedparser is missing for /usr/bin/python3; install it with: make deps")


def entry(e):
    content = e.content[0].value if "content" in e else e.get("summary", "")
    return {
        "id": e.get("id", ""),
        "title": e.get("title", ""),
        "link": e.get("link", ""),
        "published": e.get("published", ""),
        "updated": e.get("updated", ""),
        "content": content,
    }


def read(source):
    feed = feedparser.parse(source)
    if feed.bozo:
        raise ValueError(f"not well formed: {feed.bozo_exception}")
    if not feed.feed.get("title"):
        raise ValueError("no title")
    for e in feed.entries:
        for field in ("id", "title", "link"):
            if not e.get(field):
                raise ValueError(f"an entry has no {field}: {e.get('title', e)}")
    return {
        "version": feed.version,
        "title": feed.feed.title,
        "id": feed.feed.get("id", ""),
        "link": feed.feed.get("link", ""),
        "updated": feed.feed.get("updated", ""),
        "entries": [entry(e) for e in feed.entries],
    }


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: feeds.py URL|FILE...")
    for source in sys.argv[1:]:
        try:
            print(json.dumps(read(source), ensure_ascii=False))
        except ValueError as err:
            sys.exit(f"{source}: {err}")


if __name__ == "__main__":
    main()
