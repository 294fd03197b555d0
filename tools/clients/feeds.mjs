// Reads a feed, or a list of feeds as OPML, as feedsmith does.
//
//   node feeds.mjs URL...
//
// Prints one JSON object an address: its format, title, self link and items (id,
// title, link, published, updated, content, authors), or its outlines. Exit 1 if
// one cannot be parsed.
import { parseFeed, parseOpml } from "feedsmith";

const textOf = (value) => (typeof value === "string" ? value : (value?.value ?? ""));
const self = (links) => links?.find((l) => l.rel === "self")?.href;
const names = (list) => (list ?? []).map((a) => a.name ?? a);

const readers = {
  atom: (f) => ({
    title: textOf(f.title),
    self: self(f.links),
    older: f.links?.find((l) => l.rel === "prev-archive")?.href,
    items: (f.entries ?? []).map((e) => ({
      id: e.id, title: textOf(e.title), link: e.links?.find((l) => !l.rel || l.rel === "alternate")?.href,
      published: e.published, updated: e.updated, content: textOf(e.content), authors: names(e.authors).join(", "),
    })),
  }),
  rss: (f) => ({
    title: textOf(f.title),
    self: self(f.atom?.links),
    older: f.atom?.links?.find((l) => l.rel === "prev-archive")?.href,
    items: (f.items ?? []).map((e) => ({
      id: e.guid?.value, title: textOf(e.title), link: e.link, published: e.pubDate, updated: e.atom?.updated,
      content: e.content?.encoded ?? "", authors: (e.dc?.creators ?? [e.dc?.creator]).filter(Boolean).join(", "),
    })),
  }),
  json: (f) => ({
    title: f.title,
    self: f.feed_url,
    older: f.next_url,
    items: (f.items ?? []).map((e) => ({
      id: e.id, title: e.title, link: e.url, published: e.date_published, updated: e.date_modified,
      content: e.content_html, authors: names(e.authors).join(", "),
    })),
  }),
};

const flat = (outlines) => (outlines ?? []).flatMap((o) => [o, ...flat(o.outlines)]);

for (const address of process.argv.slice(2)) {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`status ${response.status}`);
    const text = await response.text();
    if (address.endsWith(".opml")) {
      const opml = parseOpml(text);
      const feeds = flat(opml.body?.outlines).filter((o) => o.xmlUrl);
      console.log(JSON.stringify({ format: "opml", title: opml.head?.title, feeds }));
      continue;
    }
    const { format, feed } = parseFeed(text);
    console.log(JSON.stringify({ format, ...readers[format](feed) }));
  } catch (err) {
    console.error(`${address}: ${err.message}`);
    process.exitCode = 1;
  }
}
