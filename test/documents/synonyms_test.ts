/** Words that are not in a document: abbreviations and other names, which other documents define. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { FILLER } from "../search/texts.ts";
import { searchIn } from "./search_in.ts";

/** A page that defines two forms. */
type Page = readonly [path: string, text: string];
const page = (text: string, path = "a/page.md"): Page => [path, `# Page\n\n${text}\n`];
const glossary = (text: string): Page => page(text, "a/glossary.md");
const titled = (title: string, text: string): Page => ["a/page.md", `# ${title}\n\n${text}\n`];

const DEFINED: readonly (readonly [form: string, other: string, page: Page])[] = [
  // Abbreviations in any text.
  ["HTTP", "Hypertext Transfer Protocol", page("It speaks Hypertext Transfer Protocol (HTTP) here.")],
  ["OIDC", "OpenID Connect", page("Sign in with OIDC (OpenID Connect).")],
  ["RBAC", "role-based access control", page("Use **role-based access control** (`RBAC`).")],
  ["SLO", "service level objective", page("Each team states a service\nlevel objective (SLO) for it.")],
  ["ADR", "Architecture Decision Record", page("Write Architecture Decision Records (ADRs).")],
  ["i18n", "internationalization", page("About internationalization (i18n).")],
  [
    "CQRS",
    "Command Query Responsibility Segregation",
    page("CQRS (Command Query Responsibility Segregation) is it."),
  ],
  // Glossaries.
  ["basket", "shopping cart", glossary("| Term | Meaning |\n|---|---|\n| Basket | Shopping cart |")],
  [
    "basket",
    "trolley",
    glossary("| Term | Meaning | Synonyms |\n|---|---|---|\n| Basket | What is bought. | cart, trolley |"),
  ],
  [
    "cart",
    "trolley",
    glossary("| Term | Meaning | Synonyms |\n|---|---|---|\n| Basket | What is bought. | cart, trolley |"),
  ],
  ["ledger", "journal", glossary("**Ledger**: the list of bookings, also called journal.")],
  ["PR", "pull request", glossary("- **PR** – pull request")],
  ["WIP", "work in progress", glossary("- WIP: Work in progress, which is limited.")],
  ["tenant", "customer account", glossary("Tenant\n: Customer account")],
  ["widget", "gadget", glossary("## Widget (gadget)\n\nA thing that people press.")],
  ["rollout", "gradual release", glossary("### Rollout\n\nGradual release.")],
  [
    "basket",
    "hamper",
    page(
      "## Terminology\n\n**Basket**: what is bought. Also known as: hamper.\n\n## More\n\n**Box**: parcel.",
    ),
  ],
  ["Mandant", "Kunde", titled("Glossar", "**Mandant**: Kunde")],
  ["panier", "caddie", titled("Glossaire", "- **Panier** : caddie")],
  // Tags.
  ["SSO", "single sign-on", ["a/page.md", "---\ntags: [sso]\n---\n# Single sign-on everywhere\n"]],
  ["k8s", "kubernetes", ["a/page.md", "---\ntags: [k8s, kubernetes]\n---\n# Clusters\n"]],
  ["parcel", "shipment", ["a/glossary/parcel.md", "---\ntags: [shipment]\n---\n# Parcel\n"]],
];

test("either form of what a document defines finds the documents that have only the other", async () => {
  for (const [form, other, [path, text]] of DEFINED) {
    const { keysOf } = await searchIn({
      [path]: text,
      "b/form.md": `# One\n\nHere we say ${form} and nothing else.\n`,
      "b/other.md": `# Two\n\nHere we say ${other} and nothing else.\n`,
      "b/neither.md": `# Three\n\n${FILLER}\n`,
    });
    for (const [query, own, others] of [[form, "b/form", "b/other"], [other, "b/other", "b/form"]] as const) {
      const keys = await keysOf(query);
      assert.ok(keys.includes(others), `${query}: ${keys}`);
      assert.ok(keys.indexOf(own) < keys.indexOf(others), `${query}: ${keys}`);
      assert.ok(!keys.includes("b/neither"), `${query}: ${keys}`);
    }
  }
});

test("words that define nothing have no other form", async () => {
  const rows: readonly (readonly [query: string, word: string, page: Page])[] = [
    ["HTTP", "server", page("Ask the server (HTTP) for it.")],
    ["box", "parcel", page("**Box**: parcel")],
    ["box", "parcel", page("## Terminology\n\nNone.\n\n## More\n\n**Box**: parcel")],
    ["charges", "refund", titled("Terms of service", "**Charges**: refund")],
    ["transfer", "HTTP", page("Hypertext Transfer Protocol (HTTP)")],
    ["basket", "yesterday", glossary("**Basket**: what a customer wants to buy, and did not buy yesterday.")],
  ];
  for (const [query, word, [path, text]] of rows) {
    const { keysOf } = await searchIn({ [path]: text, "b/one.md": `# One\n\nOnly ${word} here.\n` });
    assert.ok(!(await keysOf(query)).includes("b/one"), query);
  }
});

test("a form is forgotten with the page that defined it", async () => {
  const { memory, documents, keysOf } = await searchIn({
    "a/glossary.md": "# Glossary\n\n**Basket**: shopping cart\n",
    "b/one.md": "# One\n\nA shopping cart.\n",
  });
  assert.deepEqual(await keysOf("basket"), ["a/glossary", "b/one"]);
  memory.write(
    "/root/resources/a/glossary.md",
    "# Glossary\n\n**Basket**: what is bought in the end\n",
    Date.now() - 1000,
  );
  await documents.reload();
  assert.deepEqual(await keysOf("basket"), ["a/glossary"]);
});

test("a hit says which other form it has, and shows it", async () => {
  const { search } = await searchIn({
    "a/page.md": "# Page\n\nHypertext Transfer Protocol (HTTP) is spoken.\n",
    "b/short.md": `# One\n\n${"Something else. ".repeat(30)} The HTTP port is open. ${
      "And more. ".repeat(30)
    }\n`,
    "b/long.md": `# Two\n\n${"Something else. ".repeat(30)} A hypertext transfer protocol. ${
      "And more. ".repeat(30)
    }\n`,
  });
  const rows = [
    ["hypertext transfer protocol", "b/short", "HTTP, for Hypertext Transfer Protocol, in body", /HTTP port/],
    ["http", "b/long", "Hypertext Transfer Protocol, for HTTP, in body", /A hypertext transfer protocol/],
  ] as const;
  for (const [query, key, matched, excerpt] of rows) {
    const hit = (await search(query)).hits.find(({ uri }) => uri.endsWith(key));
    assert.deepEqual(hit?.matched, [matched]);
    assert.match(hit?.excerpt ?? "", excerpt);
  }
});

test("the command search knows other forms too", async (t) => {
  const folder = makeFolder(t, {
    "docs/glossary.md": "# Glossary\n\n**Basket**: shopping cart\n",
    "docs/checkout.md": "# Checkout\n\nA shopping cart is paid.\n",
  });
  const { output } = await cli("search basket --mount docs=DIR/docs", folder);
  assert.match(output, /docs\/checkout/);
});

/** Names in code, and how people write them: each finds the other by its parts and as a whole. */
const WRITTEN: readonly (readonly [text: string, queries: string])[] = [
  ["parseUrl", "parseUrl|parse url|parse_url|parse-url|ParseURL|parseurl|PARSE_URL|url"],
  [
    "connection-pool",
    "connection pool|connectionPool|ConnectionPool|connection_pool|connectionpool|connection pools|pool",
  ],
  [
    "connection pool",
    "connection-pool|connectionPool|ConnectionPool|connection_pool|connectionpool|ConnectionPools",
  ],
  ["HTTPServer", "HTTPServer|httpServer|http server|http-server|httpserver|HTTP_SERVER|server|HttpServers"],
  ["getOAuth2Token", "getOAuth2Token|get oauth2 token|oauth2|OAuth2|oauth token|get_oauth2_token|oauth 2"],
  ["OAuth 2", "oauth2|OAuth2|OAuth-2|oauth 2"],
  ["com.example.UserService", "UserService|user service|com.example.UserService|userservice|user-service"],
  ["MAX_RETRY_COUNT", "maxRetryCount|max retry count|retry count|max-retry-count|maxretrycount|retrycount"],
  ["XMLHttpRequest", "xml http request|XMLHttpRequest|xmlhttprequest|XmlHTTPRequest|http request"],
  ["sha256", "sha-256|SHA256|sha 256"],
  ["on_delete", "onDelete|on delete|ON DELETE|ondelete"],
  ["eMail", "email|e-mail|eMail"],
];

test("names in code are found by their parts and as a whole, however they are written", async () => {
  for (const [text, queries] of WRITTEN) {
    const others = ["x", "y", "z"].map((at) => [`b/${at}.md`, `# Letter ${at}\n\n${FILLER}\n`]);
    const { keysOf } = await searchIn({
      ...Object.fromEntries(others),
      "a/one.md": `# One\n\nUse ${text} there.\n`,
    });
    for (const query of queries.split("|")) {
      assert.equal((await keysOf(query))[0], "a/one", `${query} for ${text}`);
    }
  }
});
