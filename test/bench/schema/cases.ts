/** What is checked: schemas of tools as they are written, with arguments and results as they come. */

/** One schema, with a value that fits it and one that does not. */
export interface Case {
  name: string;
  schema: Record<string, unknown>;
  fits: unknown;
  fails: unknown;
}

const text = { type: "string" };
const some = (type: "integer" | "number", minimum = 0) => ({ type, minimum });
const list = (items: object) => ({ type: "array", items });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const object = (properties: object, required: readonly string[], more: object = { additionalProperties: false }) => {
  return { type: "object", properties, required, ...more };
};
const person = { name: "Ada Lovelace", email: "ada@example.org", roles: ["author", "reviewer"] };
const search = { query: "timeout of calls", path: "adr/007", limit: 20, order: "date", tags: ["a", "b"] };
const document = { uri: "architecture://adr/7", title: "Use a queue", number: 7, status: "accepted", owner: person };
const link = { kind: "link", uri: "https://example.org/" };
const rows = Array.from({ length: 10_000 }, (_, id) => {
  return { id, name: `row ${id}`, score: id / 7, tags: ["a", "b"], active: id % 2 === 0 };
});

/** All of them. */
export const cases: Case[] = [
  {
    name: "flat arguments",
    schema: object({
      query: { ...text, minLength: 1, maxLength: 200, description: "What to look for" },
      path: { ...text, pattern: "^[\\w./-]+$" },
      limit: { ...some("integer", 1), maximum: 100, default: 20 },
      order: { enum: ["relevance", "date", "title"] },
      caseSensitive: { type: "boolean" },
      tags: { ...list(text), maxItems: 10, uniqueItems: true },
    }, ["query"]),
    fits: { ...search, caseSensitive: false },
    fails: { ...search, limit: 200 },
  },
  {
    name: "nested result",
    schema: object(
      {
        document: object({
          uri: text,
          title: { type: ["string", "null"] },
          number: some("integer"),
          status: { enum: ["proposed", "accepted", "superseded", "deprecated"] },
          supersedes: list(ref("link")),
          owner: ref("person"),
        }, ["uri", "title", "status"], {}),
        sections: list(ref("section")),
        related: list({ anyOf: [ref("link"), ref("person")] }),
      },
      ["document", "sections"],
      {
        $defs: {
          link: object({ kind: { const: "link" }, uri: text, title: text }, ["kind", "uri"]),
          person: object({ name: { ...text, minLength: 1 }, email: text, roles: list(text) }, ["name"]),
          section: object({
            heading: text,
            level: { ...some("integer", 1), maximum: 6 },
            children: list(ref("section")),
          }, ["heading", "level"], {}),
        },
      },
    ),
    fits: {
      document: { ...document, supersedes: [{ ...link, title: "Call directly" }] },
      sections: [
        { heading: "Context", level: 2, children: [{ heading: "Load", level: 3 }, { heading: "Cost", level: 3 }] },
        { heading: "Decision", level: 2, children: [] },
        { heading: "Consequences", level: 2 },
      ],
      related: [person, link, person],
    },
    fails: {
      document: { ...document, status: "unknown" },
      sections: [{ heading: "Context", level: 7, children: [{ heading: "Load", level: 3 }, { level: 3 }] }],
      related: [person, { kind: "link", url: "architecture://adr/9" }],
    },
  },
  {
    name: "array of 10,000",
    schema: list(object({
      id: some("integer"),
      name: { ...text, maxLength: 100 },
      score: { type: "number" },
      tags: list(text),
      active: { type: "boolean" },
    }, ["id", "name"])),
    fits: rows,
    fails: [...rows.slice(1), { id: "last", name: "row" }],
  },
  {
    name: "unevaluatedProperties",
    schema: {
      $defs: { base: object({ id: text, kind: text }, ["id", "kind"], {}) },
      allOf: [ref("base")],
      oneOf: [
        { properties: { kind: { const: "file" }, path: text, size: { type: "integer" } }, required: ["path"] },
        { properties: { kind: { const: "link" }, uri: text }, required: ["uri"] },
      ],
      properties: { title: text, note: text },
      unevaluatedProperties: false,
    },
    fits: { id: "1", ...link, title: "Example", note: "none" },
    fails: { id: "1", ...link, title: "Example", size: 1 },
  },
];
