/** The client half of skills: it reads nothing ahead of need, and gives no file that is not what its entry says. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { ClientError, ProtocolError } from "../../../lib/mcp/client/mod.ts";
import type { Skill } from "../../../lib/documents/skills/mod.ts";
import { SkillError, SkillsClient } from "../../../lib/documents/skills/mod.ts";
import type { Script } from "../../harness/scripted_server.ts";
import { all, fail, LEGACY, MODERN, open } from "../../harness/scripted_server.ts";

const URI = "skill://a/pdf/SKILL.md";
const TEXT =
  '---\nname: pdf\ndescription: Fills forms.\nmetadata:\n  version: "2"\n---\n\nRead references/forms.md.\n';
const FORMS = "Supporting content.\n";
const FORMS_URI = "skill://a/pdf/references/forms.md";
const BINARY = Buffer.from([0, 255, 1]), BLOB = BINARY.toString("base64");

const entryOf = (uri: string, content: string | Buffer) => ({
  uri,
  digest: `sha256:${createHash("sha256").update(content).digest("hex")}`,
  size: Buffer.byteLength(content),
});
const RESOURCES = [
  entryOf(URI, TEXT),
  entryOf(FORMS_URI, FORMS),
  entryOf("skill://a/pdf/assets/Q%26A%20(1).bin", BINARY),
];
const SKILL: Skill = {
  uri: URI,
  frontmatter: { description: "Fills forms.", name: "pdf", metadata: { version: "2" } },
  resources: RESOURCES,
};

/** The skills of a server with one skill, or what the script has. */
async function openSkills(t: TestContext, more: Script = {}) {
  const discovery = MODERN["server/discover"]!({} as never, {} as never) as object;
  const capabilities = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };
  const { client, server } = await open(t, {
    "server/discover": () => ({ ...discovery, capabilities }),
    "skills/list": () => ({ skills: [SKILL] }),
    "skills/get": () => ({ skill: SKILL }),
    "resources/read": ({ params: { uri } }) => {
      const content = uri === URI ? { text: TEXT } : uri === FORMS_URI ? { text: FORMS } : { blob: BLOB };
      return { contents: [{ uri, ...content }] };
    },
    ...more,
  });
  return { server, skills: new SkillsClient(client) };
}

test("list() and get() read no file, and read() the one that is asked for", async (t) => {
  const { skills, server } = await openSkills(t);
  assert.deepEqual(await all(skills.list()), [SKILL]);
  assert.deepEqual(await skills.get(URI), SKILL);
  assert.deepEqual(server.methods.slice(1), ["skills/list", "skills/get"]);
  const PATHS: readonly (readonly [path: string | undefined, content: string | Buffer])[] = [
    [undefined, TEXT],
    ["SKILL.md", TEXT],
    ["./SKILL.md#top", TEXT],
    ["references/forms.md", FORMS],
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
  const number = TEXT.replace('"2"', "2");
  const licensed = TEXT.replace("metadata:\n", "license: MIT\nmetadata:\n");
  const unreadable = TEXT.replace("metadata:", "metadata: !x");
  const listing = (content: string): Skill => ({ ...SKILL, resources: [entryOf(URI, content)] });
  const ROWS: readonly (readonly [reason: SkillError["reason"], served: string, skill: Skill])[] = [
    ["digest", evil, SKILL],
    ["size", `${TEXT}!`, SKILL],
    ["size", "", SKILL],
    ...[other, number, licensed, unreadable, "No front matter.\n"].map((text) =>
      ["frontmatter", text, listing(text)] as const
    ),
  ];
  for (const [reason, text, skill] of ROWS) {
    const { skills } = await openSkills(t, { "resources/read": () => ({ contents: [{ uri: URI, text }] }) });
    await assert.rejects(skills.read(skill), (cause) => {
      assert.ok(cause instanceof SkillError && cause instanceof ClientError);
      assert.equal(cause.reason, reason, cause.message);
      assert.ok(cause.message.includes(URI));
      return true;
    });
  }
});

test("read() asks for no file that the entry does not have", async (t) => {
  const { skills, server } = await openSkills(t);
  const paths = `other.md / .. ../pdf/SKILL.md references/../SKILL.md references a/pdf/SKILL.md ${URI}
    skill://b/SKILL.md /SKILL.md SKILL.md/ SKILL.md?x references%2Fforms.md % skill.md
    %2e%2e/pdf/SKILL.md references\\forms.md`.split(/\s+/).concat("", "SKILL.md\0", "\u001b[2J");
  for (const path of paths) {
    await assert.rejects(skills.read(SKILL, path), { name: "SkillError", reason: "unlisted" }, path);
  }
  await assert.rejects(skills.read({ ...SKILL, resources: "dynamic" }), { reason: "unlisted" });
  assert.deepEqual(server.of("resources/read"), []);
});

test("read() takes no other contents for those of the file", async (t) => {
  const parts = [{}, { uri: `${URI}/x`, text: TEXT }, { uri: URI }, { uri: URI, blob: "!" }];
  const contents = [undefined, [], ...parts.map((part) => [part])];
  for (const content of contents) {
    const { skills } = await openSkills(t, { "resources/read": () => ({ contents: content }) });
    await assert.rejects(skills.read(SKILL), ProtocolError);
  }
});

test("an entry that is not valid is an error, wherever it comes from", async (t) => {
  const [own, forms] = RESOURCES as [(typeof RESOURCES)[0], (typeof RESOURCES)[0]];
  const { frontmatter } = SKILL;
  const uris =
    "skill://SKILL.md skill:///SKILL.md skill://pdf/ skill://pdf/SKILL.md?x SKILL.md skill://b/SKILL.md";
  const files =
    `skill://b/x.md skill://a/pdf/../x.md skill://a/pdf/%2e%2e/x.md skill://a/pdf/ skill://a/pdf/x.md#y
    skill://a/pdf/x%00.md skill://a/pdf/x%5Cy.md skill://a/pdf//x.md skill://a/pdfx/y.md
    skill://a/pdf/references%2Fforms.md`.split(/\s+/);
  const CHANGES: readonly (object | null)[] = [
    null,
    { uri: undefined },
    ...uris.split(" ").map((uri) => ({ uri })),
    { frontmatter: undefined },
    { frontmatter: { ...frontmatter, name: "other" } },
    { frontmatter: { ...frontmatter, description: undefined } },
    { frontmatter: { ...frontmatter, description: "" } },
    { resources: undefined },
    { resources: "static" },
    { resources: [] },
    { resources: [forms] },
    { resources: [own, own] },
    ...files.map((uri) => ({ resources: [own, { ...forms, uri }] })),
    ...["sha256:", `sha1:${"0".repeat(64)}`, `sha256:${"A".repeat(64)}`, 7, undefined].map((digest) => ({
      resources: [own, { ...forms, digest }],
    })),
    ...[-1, 1.5, "7", undefined].map((size) => ({ resources: [own, { ...forms, size }] })),
  ];
  for (const change of CHANGES) {
    const skill = change && { ...SKILL, ...change };
    const script = { "skills/list": () => ({ skills: [skill] }), "skills/get": () => ({ skill }) };
    const { skills, server } = await openSkills(t, script);
    const what = JSON.stringify(change);
    await assert.rejects(all(skills.list()), ProtocolError, what);
    await assert.rejects(skills.get(URI), ProtocolError, what);
    await assert.rejects(skills.read(skill as Skill), ProtocolError, what);
    assert.deepEqual(server.of("resources/read"), []);
  }
  const { skills } = await openSkills(t);
  await assert.rejects(skills.get("skill://pdf/SKILL.md"), /with another skill/);
});

test("list() reads page after page, but not one for ever", async (t) => {
  const uris = ["skill://a/pdf/SKILL.md", "skill://b/pdf/SKILL.md"];
  const [first, second] = uris.map((uri) => ({ ...SKILL, uri, resources: "dynamic" }));
  const PAGES: Readonly<Record<string, object>> = {
    first: { skills: [first], nextCursor: "" },
    "": { skills: [], nextCursor: "2" },
    "2": { skills: [second], nextCursor: null },
  };
  const { skills } = await openSkills(t, { "skills/list": ({ params }) => PAGES[params.cursor ?? "first"] });
  assert.deepEqual((await all(skills.list())).map(({ uri }) => uri), uris);
  let count = 0;
  for (const next of [() => "same", () => `${++count}`]) {
    const page = () => ({ skills: [], nextCursor: next() });
    const endless = await openSkills(t, { "skills/list": page });
    await assert.rejects(all(endless.skills.list()), /does not end/);
  }
  // What a page has besides its skills counts too: all cursors are kept.
  const large = () => ({ skills: [], nextCursor: `${++count}`.padEnd(4_000_000, "x") });
  const growing = await openSkills(t, { "skills/list": large });
  await assert.rejects(all(growing.skills.list()), /skills\/list has more than 67108864 characters/);
  assert.ok(count < 1100, `${count} pages`);
});

test("a server without the extension has no skills, and is not asked for them", async (t) => {
  for (const opening of [MODERN, LEGACY]) {
    const { client, server } = await open(t, { ...opening, "skills/list": () => fail(-32601) });
    assert.deepEqual(await all(new SkillsClient(client).list()), []);
    assert.deepEqual(server.of("skills/list"), []);
  }
});
