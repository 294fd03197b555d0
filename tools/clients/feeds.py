#!/usr/bin/python3
"""Reads feeds as a feed reader does, with feedparser.

    tools/clients/feeds.py URL|FILE...

Runs under the system's Python, which is where Debian puts feedparser.
Prints one JSON object a feed: its title, id, link, updated, its entries (id,
title, link, authors, published and updated in seconds of 1970, tags, summary,
content, thumbnail) and, of a URL, the status of asking again with each of the
validators it gave. Exit 1 if a feed is not well formed or lacks what a reader
needs, with the reason on standard error.
"""

import calendar
import json
import sys

try:
    import feedparser
except ImportError:
    sys.exit("feedparser is missing for /usr/bin/python3; install it with: make deps")


def seconds(parsed):
    return calendar.timegm(parsed) if parsed else None


def entry(e):
    thumbnails = e.get("media_thumbnail", [])
    return {
        "id": e.get("id", ""),
        "title": e.get("title", ""),
        "link": e.get("link", ""),
        "authors": ", ".join(a.get("name", "") for a in e.get("authors", [])),
        "published": seconds(e.get("published_parsed")),
        "updated": seconds(e.get("updated_parsed")),
        "tags": [t.label or t.term for t in e.get("tags", [])],
        "summary": e.get("summary", ""),
        "content": e.content[0].value if "content" in e else "",
        "thumbnail": thumbnails[0]["url"] if thumbnails else "",
    }


def again(source, feed):
    """The status of asking again with each validator, and with both."""
    if not source.startswith("http"):
        return {}
    validators = {"etag": feed.get("etag"), "modified": feed.get("modified")}
    asked = {name: feedparser.parse(source, **{name: value}) for name, value in validators.items()}
    asked["both"] = feedparser.parse(source, **validators)
    return {name: answer.status for name, answer in asked.items()}


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
        "again": again(source, feed),
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
