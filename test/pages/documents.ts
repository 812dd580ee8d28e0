/** The documents of the tests of pages and sites. */

import process from "node:process";

/** A decision record. */
export const record = (title: string, more = "", text = "Retries back off."): string =>
  `---\n${more}---\n# ${title}\n\n## Context\n\n${text}\n\n## Decision\n\nWe do it.\n`;
/** Documents of all kinds. */
export const FILES: Readonly<Record<string, string>> = {
  "adr/0001-use-queues.md": record("Use queues", "status: superseded\ndate: 2026-01-02\nsuperseded-by: 2\n"),
  "adr/0002-use-streams.md": record(
    "Use streams",
    "status: accepted\ndate: 2026-03-04\ntags: [io, net]\napplies-to: src/**\nreview-by: 2026-01-01\nsupersedes: 1\n",
    "See [the queues](0001-use-queues.md#decision), [a note](../notes/read%20me.md), <architecture://adr/3>.",
  ),
  "adr/0003-use-a-bus.md": record("Use a bus", "status: proposed\ndate: 2026-02-03\n", "[x](0009-gone.md)"),
  "notes/read me.md": "# Notes & <more>\n\nNothing of that kind.\n\n## Notes\n\n## Main\n",
};

/** The options for the documents in a folder. */
export function mountsOf(folder: string, files: Readonly<Record<string, string>>): string[] {
  const names = new Set(Object.keys(files).map((name) => name.split("/", 1)[0]!));
  return [...names].flatMap((name) => ["--mount", `${name}=${folder}/${name}`]);
}

/** A name with the special characters of markup and URLs; Windows allows fewer. */
const NAME = process.platform === "win32" ? "0001-a'&#%" : "0001-a\"'<&#%?\\";
/** The address of the page of the document with that name. */
export const HOSTILE_PATH: string = `/adr/${encodeURIComponent(NAME).replaceAll("'", "%27")}.html`;

/** Documents that try to inject markup into the page. */
export const HOSTILE: Readonly<Record<string, string>> = {
  [`adr/${NAME}.md`]: record(
    '<script>alert(1)</script> "quoted" &amp; \u202edesrever\u202c \u001b[31mred\u0007',
    "status: <b>accepted</b>\ndate: <i>2026</i>\ntags: ['\"><script>x</script>', \"a&b=c#d\"]\napplies-to: '<img src=x>'\n",
    '[a](javascript:alert(1)) [b](JAVASCRIPT:alert) [c](data:text/html,x) [d](vbscript:x) <a href="x" onclick="y">z</a>' +
      "\n\n<script>alert(2)</script>\n\n[e](//evil.example/x) [f](http://example.com/?a&b) ![g](http://example.com/x.png)\n\n" +
      '## <img src=x onerror=alert(3)>\n\n## page.main\n\n## ***\n\n## \u2066isolated\u2069\n\n&#x202e;mirrored&#8238; [&#x2067;](http://example.com/ "&#x2066;")\n',
  ),
  "adr/größe.md": `# Größe\n\n[back](${encodeURIComponent(NAME)}.md)\n`,
  "adr/__proto__.md": "# constructor\n",
  "adr/index.md": "no heading, and no end\u0085",
};
