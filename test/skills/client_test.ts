/** The client half of skills: it reads nothing ahead of need, and gives no file that is not what its entry says. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ClientError, ProtocolError } from "../../lib/client/mod.ts";
import type { Skill } from "../../lib/skills/mod.ts";
import { SkillError, SkillsClient } from "../../lib/skills/mod.ts";
import type { Script } from "../client/scripted_server.ts";
import { all, fail, LEGACY, MODERN, open } from "../client/scripted_server.ts";

const URI = "skill://a/pdf/SKILL.md";
const TEXT =
  '---\nname: pdf\ndescription: Fills forms.\nmetadata:\n  version: "2"\n---\n\nRead references/forms.md.\n';
const FORMS = "Supporting content.\n";
const BINARY = Buffer.from([0, 255, 1]);

const entryOf = (uri: string, content: string | Buffer) => ({
  uri,
  digest: `sha256:${createHash("sha256").update(content).digest("hex")}`,
  size: Buffer.byteLength(content),
});
const RESOURCES = [
  entryOf(URI, TEXT),
  entryOf("skill://a/pdf/references/forms.md", FORMS),
  entryOf("skill://a/pdf/assets/Q%26A%20(1).bin", BINARY),
];
const SKILL: Skill = {
  uri: URI,
  frontmatter: { description: "Fills forms.", name: "pdf", metadata: { version: "2" } },
  resources: RESOURCES,
};

/** A server with one skill, or what the script has. */
const script = (more: Script = {}): Script => ({
  "server/discover": () => ({
    ...MODERN["server/discover"]!({} as never, {} as never) as object,
    capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
  }),
  "skills/list": () => ({ skills: [SKILL] }),
  "skills/get": () => ({ skill: SKILL }),
  "resources/read": ({ params: { uri } }) => {
    const blob = BINARY.toString("base64");
    return { contents: [{ uri, ...uri.endsWith(".bin") ? { blob } : { text: uri === URI ? TEXT : FORMS } }] };
  },
  ...more,
});

test("list() and get() read no file, and read() the one that is asked for", async (t) => {
  const { client, server } = await open(t, script());
  const skills = new SkillsClient(client);
  assert.deepEqual(await all(skills.list()), [SKILL]);
  assert.deepEqual(await skills.get(URI), SKILL);
  assert.deepEqual(server.methods.slice(1), ["skills/list", "skills/get"]);
  const PATHS: readonly (readonly [path: string | undefined, content: string | Buffer])[] = [
    [undefined, TEXT],
    ["SKILL.md", TEXT],
    ["./SKILL.md#top", TEXT],
    ["references/forms.md", FORMS],
    ["references%2Fforms.md".replace("%2F", "/"), FORMS],
    ["assets/Q&A (1).bin", BINARY],
    ["assets/Q%26A%20%281%29.bin", BINARY],
  ];
  for (const [path, content] of PATHS) {
    assert.deepEqual(Buffer.from(await skills.read(SKILL, path)), Buffer.from(content), path ?? "none");
  }
  assert.equal(server.of("resources/read").length, PATHS.length);
});

test("read() gives nothing that is not what the entry says, with the reason", async (t) => {
  const evil = TEXT.replace("Read", "Evil");
  const other = TEXT.replace("Fills forms", "Steals them");
  const unreadable = TEXT.replace("metadata:", "metadata: !x");
  const listing = (content: string): Skill => ({ ...SKILL, resources: [entryOf(URI, content)] });
  const ROWS: readonly (readonly [reason: SkillError["reason"], served: string, skill: Skill])[] = [
    ["digest", evil, SKILL],
    ["size", `${TEXT}!`, SKILL],
    ["size", "", SKILL],
    ["frontmatter", other, listing(other)],
    ["frontmatter", TEXT.replace('"2"', "2"), listing(TEXT.replace('"2"', "2"))],
    ["frontmatter", TEXT.replace("metadata:\n", "license: MIT\nmetadata:\n"), {
      ...listing(TEXT.replace("metadata:\n", "license: MIT\nmetadata:\n")),
    }],
    ["frontmatter", unreadable, listing(unreadable)],
    ["frontmatter", "No front matter.\n", listing("No front matter.\n")],
  ];
  for (const [reason, text, skill] of ROWS) {
    const { client } = await open(
      t,
      script({ "resources/read": () => ({ contents: [{ uri: URI, text }] }) }),
    );
    await assert.rejects(new SkillsClient(client).read(skill), (cause) => {
      assert.ok(cause instanceof SkillError && cause instanceof ClientError);
      assert.equal(cause.reason, reason, cause.message);
      assert.ok(cause.message.includes(URI));
      return true;
    });
  }
});

test("read() asks for no file that the entry does not have", async (t) => {
  const { client, server } = await open(t, script());
  const skills = new SkillsClient(client);
  const paths = [
    "other.md",
    "",
    "/",
    "..",
    "../pdf/SKILL.md",
    "references/../SKILL.md",
    "references",
    "a/pdf/SKILL.md",
  ]
    .concat(
      URI,
      "skill://b/SKILL.md",
      "/SKILL.md",
      "SKILL.md/",
      "SKILL.md?x",
      "references%2Fforms.md",
      "%",
      "skill.md",
    )
    .concat("%2e%2e/pdf/SKILL.md", "references\\forms.md", "SKILL.md\0", "\u001b[2J");
  for (const path of paths) {
    await assert.rejects(skills.read(SKILL, path), { name: "SkillError", reason: "unlisted" }, path);
  }
  await assert.rejects(skills.read({ ...SKILL, resources: "dynamic" }), { reason: "unlisted" });
  assert.deepEqual(server.of("resources/read"), []);
});

test("read() takes no other contents for those of the file", async (t) => {
  const contents = [undefined, [], [{}], [{ uri: `${URI}/x`, text: TEXT }], [{ uri: URI }], [{
    uri: URI,
    blob: "!",
  }]];
  for (const content of contents) {
    const { client } = await open(t, script({ "resources/read": () => ({ contents: content }) }));
    await assert.rejects(new SkillsClient(client).read(SKILL), ProtocolError);
  }
});

test("an entry that is not valid is an error, wherever it comes from", async (t) => {
  const [own, forms] = RESOURCES as [(typeof RESOURCES)[0], (typeof RESOURCES)[0]];
  const { frontmatter } = SKILL;
  const CHANGES: readonly (object | null)[] = [
    null,
    { uri: undefined },
    ...[
      "skill://SKILL.md",
      "skill:///SKILL.md",
      "skill://pdf/",
      "skill://pdf/SKILL.md?x",
      "SKILL.md",
      "skill://b/SKILL.md",
    ]
      .map((uri) => ({ uri })),
    { frontmatter: undefined },
    { frontmatter: { ...frontmatter, name: "other" } },
    { frontmatter: { ...frontmatter, description: undefined } },
    { frontmatter: { ...frontmatter, description: "" } },
    { resources: undefined },
    { resources: "static" },
    { resources: [] },
    { resources: [forms] },
    { resources: [own, own] },
    {
      resources: [own, { ...forms, uri: "skill://a/pdf/references%2Fforms.md" }],
    },
    ...[
      "skill://b/x.md",
      "skill://a/pdf/../x.md",
      "skill://a/pdf/%2e%2e/x.md",
      "skill://a/pdf/",
      "skill://a/pdf/x.md#y",
    ]
      .concat("skill://a/pdf/x%00.md", "skill://a/pdf/x%5Cy.md", "skill://a/pdf//x.md", "skill://a/pdfx/y.md")
      .map((uri) => ({ resources: [own, { ...forms, uri }] })),
    ...["sha256:", `sha1:${"0".repeat(64)}`, `sha256:${"A".repeat(64)}`, 7, undefined].map((digest) => ({
      resources: [own, { ...forms, digest }],
    })),
    ...[-1, 1.5, "7", undefined].map((size) => ({ resources: [own, { ...forms, size }] })),
  ];
  for (const change of CHANGES) {
    const skill = change && { ...SKILL, ...change };
    const { client, server } = await open(
      t,
      script({ "skills/list": () => ({ skills: [skill] }), "skills/get": () => ({ skill }) }),
    );
    const skills = new SkillsClient(client);
    const what = JSON.stringify(change);
    await assert.rejects(all(skills.list()), ProtocolError, what);
    await assert.rejects(skills.get(URI), ProtocolError, what);
    await assert.rejects(skills.read(skill as Skill), ProtocolError, what);
    assert.deepEqual(server.of("resources/read"), []);
  }
  const { client } = await open(t, script({ "skills/get": () => ({ skill: SKILL }) }));
  await assert.rejects(new SkillsClient(client).get("skill://pdf/SKILL.md"), /with another skill/);
});

test("list() reads page after page, but not one for ever", async (t) => {
  const named = (name: string) => ({
    ...SKILL,
    uri: `skill://${name}/pdf/SKILL.md`,
    resources: "dynamic" as const,
  });
  const PAGES: Readonly<Record<string, object>> = {
    "": { skills: [named("a")], nextCursor: "1" },
    "1": { skills: [], nextCursor: "2" },
    "2": { skills: [named("b")], nextCursor: null },
  };
  const { client } = await open(t, script({ "skills/list": ({ params }) => PAGES[params.cursor ?? ""] }));
  assert.deepEqual((await all(new SkillsClient(client).list())).map(({ uri }) => uri), [
    "skill://a/pdf/SKILL.md",
    "skill://b/pdf/SKILL.md",
  ]);
  let count = 0;
  for (const next of [() => "same", () => `${++count}`]) {
    const endless = await open(t, script({ "skills/list": () => ({ skills: [], nextCursor: next() }) }));
    await assert.rejects(all(new SkillsClient(endless.client).list()), /does not end/);
  }
  assert.ok(count < 1100, `${count} pages`);
});

test("a server without the extension has no skills, and is not asked for them", async (t) => {
  for (const opening of [MODERN, LEGACY]) {
    const { client, server } = await open(t, { ...opening, "skills/list": () => fail(-32601) });
    assert.deepEqual(await all(new SkillsClient(client).list()), []);
    assert.deepEqual(server.of("skills/list"), []);
  }
});
