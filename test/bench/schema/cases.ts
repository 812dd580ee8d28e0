/** What is checked? Schemas of tools as they are written, with arguments and results as they come. */

/** One schema, with a value that fits it and one that does not. */
export interface Case {
  name: string;
  schema: Record<string, unknown>;
  fits: unknown;
  fails: unknown;
}

const flat: Case = {
  name: "flat arguments",
  schema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 200, description: "What to look for" },
      path: { type: "string", pattern: "^[\\w./-]+$" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      order: { enum: ["relevance", "date", "title"] },
      caseSensitive: { type: "boolean" },
      tags: { type: "array", items: { type: "string" }, maxItems: 10, uniqueItems: true },
    },
    required: ["query"],
    additionalProperties: false,
  },
  fits: { query: "timeout of calls", path: "adr/007", limit: 20, order: "date", caseSensitive: false, tags: ["a", "b"] },
  fails: { query: "timeout of calls", path: "adr/007", limit: 200, order: "date", tags: ["a", "b"] },
};

const person = { name: "Ada Lovelace", email: "ada@example.org", roles: ["author", "reviewer"] };

const nested: Case = {
  name: "nested result",
  schema: {
    type: "object",
    properties: {
      document: {
        type: "object",
        properties: {
          uri: { type: "string" },
          title: { type: ["string", "null"] },
          number: { type: "integer", minimum: 0 },
          status: { enum: ["proposed", "accepted", "superseded", "deprecated"] },
          supersedes: { type: "array", items: { $ref: "#/$defs/link" } },
          owner: { $ref: "#/$defs/person" },
        },
        required: ["uri", "title", "status"],
      },
      sections: { type: "array", items: { $ref: "#/$defs/section" } },
      related: { type: "array", items: { anyOf: [{ $ref: "#/$defs/link" }, { $ref: "#/$defs/person" }] } },
    },
    required: ["document", "sections"],
    $defs: {
      link: {
        type: "object",
        properties: { kind: { const: "link" }, uri: { type: "string" }, title: { type: "string" } },
        required: ["kind", "uri"],
        additionalProperties: false,
      },
      person: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1 },
          email: { type: "string" },
          roles: { type: "array", items: { type: "string" } },
        },
        required: ["name"],
        additionalProperties: false,
      },
      section: {
        type: "object",
        properties: {
          heading: { type: "string" },
          level: { type: "integer", minimum: 1, maximum: 6 },
          children: { type: "array", items: { $ref: "#/$defs/section" } },
        },
        required: ["heading", "level"],
      },
    },
  },
  fits: {
    document: {
      uri: "architecture://adr/7",
      title: "Use a queue",
      number: 7,
      status: "accepted",
      supersedes: [{ kind: "link", uri: "architecture://adr/3", title: "Call directly" }],
      owner: person,
    },
    sections: [
      { heading: "Context", level: 2, children: [{ heading: "Load", level: 3 }, { heading: "Cost", level: 3 }] },
      { heading: "Decision", level: 2, children: [] },
      { heading: "Consequences", level: 2 },
    ],
    related: [person, { kind: "link", uri: "architecture://adr/9" }, person],
  },
  fails: {
    document: { uri: "architecture://adr/7", title: "Use a queue", number: 7, status: "unknown", owner: person },
    sections: [{ heading: "Context", level: 7, children: [{ heading: "Load", level: 3 }, { level: 3 }] }],
    related: [person, { kind: "link", url: "architecture://adr/9" }],
  },
};

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index,
    name: `row ${index}`,
    score: index / 7,
    tags: ["a", "b"],
    active: index % 2 === 0,
  }));

const array: Case = {
  name: "array of 10,000",
  schema: {
    type: "array",
    items: {
      type: "object",
      properties: {
        id: { type: "integer", minimum: 0 },
        name: { type: "string", maxLength: 100 },
        score: { type: "number" },
        tags: { type: "array", items: { type: "string" } },
        active: { type: "boolean" },
      },
      required: ["id", "name"],
      additionalProperties: false,
    },
  },
  fits: rows(10_000),
  fails: [...rows(9_999), { id: "last", name: "row" }],
};

const unevaluated: Case = {
  name: "unevaluatedProperties",
  schema: {
    $defs: {
      base: { type: "object", properties: { id: { type: "string" }, kind: { type: "string" } }, required: ["id", "kind"] },
    },
    allOf: [{ $ref: "#/$defs/base" }],
    oneOf: [
      { properties: { kind: { const: "file" }, path: { type: "string" }, size: { type: "integer" } }, required: ["path"] },
      { properties: { kind: { const: "link" }, uri: { type: "string" } }, required: ["uri"] },
    ],
    properties: { title: { type: "string" }, note: { type: "string" } },
    unevaluatedProperties: false,
  },
  fits: { id: "1", kind: "link", uri: "https://example.org/", title: "Example", note: "none" },
  fails: { id: "1", kind: "link", uri: "https://example.org/", title: "Example", size: 1 },
};

/** All of them. */
export const cases: Case[] = [flat, nested, array, unevaluated];
