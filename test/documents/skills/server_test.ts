/** The server half of skills: what becomes a skill, its files, digests and directories, and what is not served. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync, symlinkSync, truncateSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { connect } from "../../../lib/mcp/client/mod.ts";
import type { Finding } from "../../../lib/documents/mod.ts";
import { documentProvider } from "../../../lib/documents/mod.ts";
import { RpcError } from "../../../lib/jsonrpc/mod.ts";
import { promptProvider } from "../../../lib/documents/prompts/mod.ts";
import { createServer } from "../../../lib/mcp/server/mod.ts";
import type { Skill } from "../../../lib/documents/skills/mod.ts";
import { skills, SkillsClient } from "../../../lib/documents/skills/mod.ts";
import { memoryTransports } from "../../../lib/jsonrpc/transport/mod.ts";
import { all, INFO } from "../../harness/scripted_server.ts";
import type { Contents } from "../stores.ts";
import { files, MemoryFiles } from "../stores.ts";
import { makeFolder, writeFiles } from "../../harness/folder.ts";
import { ON_WINDOWS } from "../../harness/runtime.ts";

/** A server of a real root, or of files in memory by path in it, and a client of it. */
async function serve(t: TestContext, root: string | Contents, pageSize = 1000) {
  const findings: Finding[] = [];
  const isReal = typeof root === "string";
  // The folder is there, whatever is in it.
  const inMemory = new MemoryFiles(isReal ? {} : { "resources/x.txt": "", ...root }, "/root/");
  const from = { files: isReal ? files : inMemory.system };
  const options = { root: isReal ? root : "/root", watch: false };
  const documents = documentProvider(from, options);
  const prompts = promptProvider(from, { ...options, documents });
  const onfinding = (finding: Finding) => void findings.push(finding);
  const extension = skills(from, { root: options.root, documents, prompts, onfinding });
  const provided = { resources: [documents], prompts: [prompts] };
  const server = createServer({ info: INFO, pageSize, ...provided, extensions: [extension] });
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = await connect(near, { info: INFO, era: "modern" });
  t.after(() => client.close());
  const found = new SkillsClient(client);
  const list = () => all(found.list());
  const directory = async (uri: string) =>
    (await client.call("resources/directory/read", { uri }))["resources"] as { uri: string }[];
  return {
    client,
    documents,
    inMemory,
    skills: found,
    findings,
    list,
    uris: async () => urisOf(await list()),
    directory,
  };
}

const urisOf = (items: readonly { readonly uri: string }[]) => items.map(({ uri }) => uri);

/** Tries until it holds: changes of files are served a moment later. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + 60_000;; await new Promise((resolve) => setTimeout(resolve, 10))) {
    try {
      return await check();
    } catch (cause) {
      if (performance.now() > end) throw cause;
    }
  }
}

const text = async (client: SkillsClient, skill: Skill, path?: string) =>
  new TextDecoder().decode(await client.read(skill, path));

const filesOf = ({ resources }: Skill) => resources === "dynamic" ? [] : urisOf(resources);

/** A `SKILL.md` of that name, with more fields. */
const manifest = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: About it.\n${more}---\n\nDo it.\n`;

const folder = (name: string) => ({ [`skills/${name}/SKILL.md`]: manifest(name) });

const RICH = `license: MIT\r
version: 1.10
day: 2024-01-02
old: 0777
allowed-tools: Bash(git:*) Read # all
hooks:
  Pre:
    - matcher: "Bash"
      'on': [a, {b: c}, null]
text: |
  a
   b
`;

const RECORD = "# Use X\n\n## Status\n\nAccepted\n\n## Context\n\nWhy.\n\n## Decision\n\nX.\n";

test("guidelines, patterns, prompts and decisions are skills, each with a name and files that fit", async (t) => {
  const content = (text: string) => [{ role: "user", content: { type: "text", text } }];
  const { list, skills, client } = await serve(t, {
    "resources/guidelines/Naming Things.md": '\uFEFF# Naming "things"\n\nShort\u0007 names.\n',
    "resources/guidelines/naming-things.md": "# Again\n",
    "resources/guidelines/日本.md": "# 日本\n",
    "resources/guidelines/api/Überblick.md":
      '---\ntitle: All\napplies-to: ["src/**"]\ntags: [x]\n---\n\n# API\n\nBody.\n',
    "resources/patterns/naming-things.md": "# Pattern\n",
    [`resources/patterns/${"long-".repeat(20)}.md`]: "# Long\n",
    "resources/notes/other.md": "# No skill\n",
    "resources/adr/001-use-y.md": RECORD.replace("Accepted", "Superseded by 002-use-x"),
    "resources/adr/002-use-x.md": RECORD,
    "prompts/ask.json": JSON.stringify({
      name: "ask",
      title: "Ask it",
      description: "Asks.",
      arguments: [{ name: "what", description: "The thing.", required: true }, { name: "how" }],
      messages: content(
        "Say {{what}} {{how}}:\n<<resource:architecture://adr/*>>\n<<resource:architecture://no/*>>",
      ),
    }),
  });
  const entries = await list();
  const long = "long-".repeat(13).slice(0, 64);
  assert.deepEqual(entries.map(({ uri }) => uri.replace(/-[\da-f]{8}\//, "-HASH/").slice(8, -9)), [
    "how-we-decide",
    "guidelines/document-HASH",
    "guidelines/naming-things",
    "guidelines/api-uberblick",
    "guidelines/naming-things-2",
    `patterns/${long}`,
    "patterns/naming-things-3",
    "prompts/ask",
  ]);
  for (const entry of entries) {
    assert.deepEqual(await skills.get(entry.uri), entry);
    assert.ok(Array.isArray(entry.resources));
    for (const { uri, digest, size } of entry.resources) {
      const bytes = await skills.read(entry, uri.slice(entry.uri.length - "SKILL.md".length));
      assert.equal(digest, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      assert.equal(size, bytes.length);
    }
  }
  const of = (name: string) => entries.find(({ frontmatter }) => frontmatter.name === name)!;
  assert.equal(of("api-uberblick").frontmatter.description, 'Team guideline "All". Body. Applies to src/**.');
  assert.deepEqual(of("api-uberblick").frontmatter["metadata"], {
    source: "architecture://guidelines/api/%C3%9Cberblick",
  });
  assert.match(
    await text(skills, of("api-uberblick")),
    /^---\nname: "api-uberblick"\n[^]*---\n\n# API\n\nBody\.\n$/,
  );
  assert.equal(of("ask").frontmatter.description, "Asks.");
  const asked = await text(skills, of("ask"));
  assert.match(asked, /- \{what\}: The thing\.\n- \{how\} \(optional\): \n/);
  assert.match(
    asked,
    /Say \{what\} \{how\}:\n- architecture:\/\/adr\/001-use-y: Use X \(superseded: no longer/,
  );
  assert.match(asked, /\(No document matches architecture:\/\/no\/\*\.\)/);
  const index = await text(skills, of("how-we-decide"), "references/decisions.md");
  assert.match(index, /- architecture:\/\/adr\/001-use-y: Use X \(superseded, 002-use-x\)\. Why\./);
  // They are resources of their own, and not in the list.
  for await (const { uri } of client.resources()) assert.doesNotMatch(uri, /^skill:/);
});

test("nothing is read before the first request for a skill", async (t) => {
  const { inMemory, uris } = await serve(t, folder("a"));
  assert.deepEqual(inMemory.calls, []);
  assert.deepEqual(await uris(), ["skill://a/SKILL.md"]);
  assert.notDeepEqual(inMemory.calls, []);
});

test("a folder of skills is served as it is, nested ones too, in any bytes and under any name", async (t) => {
  const binary = new Uint8Array([0, 255, 1, 254]);
  const { list, skills, directory, client, findings } = await serve(t, {
    "skills/billing/refunds/SKILL.md": manifest("refunds", 'metadata:\n  version: "2"\n'),
    "skills/billing/refunds/a&b (1)#.bin": binary,
    "skills/billing/refunds/notes": "\uFEFFNotes\n",
    "skills/billing/refunds/inner/deep/SKILL.md": manifest("deep", RICH),
    "skills/README.md": "No skill.",
    "skills/.git/SKILL.md": manifest("git"),
    "skills/node_modules/x/SKILL.md": manifest("x"),
    // The team has one of its own.
    ...folder("how-we-decide"),
    "resources/adr/001-use-x.md": RECORD,
  });
  const entries = await list();
  assert.deepEqual(urisOf(entries), [
    "skill://how-we-decide-2/SKILL.md",
    "skill://billing/refunds/SKILL.md",
    "skill://billing/refunds/inner/deep/SKILL.md",
    "skill://how-we-decide/SKILL.md",
  ]);
  const outer = entries[1]!;
  const frontmatter = { name: "refunds", description: "About it.", metadata: { version: "2" } };
  assert.deepEqual(outer.frontmatter, frontmatter);
  const { name: _, description: __, ...fields } = entries[2]!.frontmatter;
  const hooks = { Pre: [{ matcher: "Bash", on: ["a", { b: "c" }, null] }] };
  const plain = {
    "license": "MIT",
    "day": "2024-01-02",
    "allowed-tools": "Bash(git:*) Read",
    "text": "a\n b\n",
  };
  assert.deepEqual(fields, { ...plain, version: 1.1, old: 777, hooks });
  assert.deepEqual(filesOf(outer).map((uri) => uri.slice(24)), [
    "SKILL.md",
    "a%26b%20%281%29%23.bin",
    "inner/deep/SKILL.md",
    "notes",
  ]);
  assert.deepEqual(await skills.read(outer, "a&b (1)#.bin".replace("#", "%23")), binary);
  assert.deepEqual(await text(skills, outer, "./inner/deep/SKILL.md"), manifest("deep", RICH));
  // The mark belongs to the bytes that the digest is of.
  assert.deepEqual([...(await skills.read(outer, "notes")).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  const { contents: [content] } = await client.readResource("SKILL://billing/refunds/a&b%20(1)%23.bin");
  assert.deepEqual(content, { uri: "skill://billing/refunds/a%26b%20%281%29%23.bin", blob: "AP8B/g==" });
  const children = (await directory("skill://billing/refunds")).map((
    { uri, ...more },
  ) => [uri.slice(24), more]);
  assert.deepEqual(Object.fromEntries(children), {
    "SKILL.md": { name: "refunds", description: "About it.", mimeType: "text/markdown" },
    "a%26b%20%281%29%23.bin": { name: "a&b (1)#.bin" },
    "inner": { name: "inner", mimeType: "inode/directory" },
    "notes": { name: "notes" },
  });
  assert.deepEqual(urisOf(await directory("skill://billing")), ["skill://billing/refunds"]);
  assert.deepEqual(findings, []);
});

test("lists and directories have pages; what is no skill, no directory or no file is -32602", async (t) => {
  const contents = { ...folder("a"), "skills/a/x.txt": "", ...folder("b") };
  const { client } = await serve(t, contents, 1);
  const pages = async (method: string, member: string, params = {}) => {
    const items: unknown[] = [];
    for (let cursor: unknown, first = true; first || cursor; first = false) {
      const result = await client.call(method, cursor ? { ...params, cursor } : params);
      assert.equal((result[member] as unknown[]).length, 1);
      assert.deepEqual([result["ttlMs"], result["cacheScope"]], [0, "private"]);
      items.push(...(result[member] as { uri: string }[]).map(({ uri }) => uri));
      cursor = result["nextCursor"];
    }
    return items;
  };
  assert.deepEqual(await pages("skills/list", "skills"), ["skill://a/SKILL.md", "skill://b/SKILL.md"]);
  const uri = { uri: "skill://a" };
  assert.deepEqual(await pages("resources/directory/read", "resources", uri), [
    "skill://a/SKILL.md",
    "skill://a/x.txt",
  ]);
  // What is simply not there is in the transcripts.
  const WRONG = {
    "skills/get": `skill://a/x.txt skill://a/SKILL.md/ SKILL.md skill:///SKILL.md skill://a/../a/SKILL.md
      skill://a/SKILL.md?x`,
    "resources/directory/read": `skill://a/ skill:// skill://a/.. file:/// skill://A`,
    "resources/read": `skill://a/%2e%2e/b/SKILL.md skill:// skill://a//x.txt skill://a/constructor`,
  };
  for (const [method, uris] of Object.entries(WRONG)) {
    for (const uri of [...uris.split(/\s+/), "", 7]) {
      const expected = { name: "RpcError", code: -32602 };
      await assert.rejects(client.call(method, { uri }), expected, `${method} ${uri}`);
    }
  }
});

test("a skill that is not as the specification says is reported once, and the others are served", async (t) => {
  const many = Object.fromEntries(Array.from({ length: 512 }, (_, index) => [`skills/many/${index}`, ""]));
  const long = `l${"o".repeat(64)}ng`, nested = (depth: number, inner = "") => `${"[".repeat(depth)}${inner}`;
  const ROWS: Record<string, readonly [text: string | Uint8Array, reason: RegExp, rule?: string]> = {
    "other": ["---\nname: one\ndescription: x\n---\n", /name must be that of its folder/],
    "Upper": [manifest("Upper"), /lower-case/, "skill-name"],
    "two--dashes": [manifest("two--dashes"), /single dashes/, "skill-name"],
    [long]: [manifest(long), /1 to 64/, "skill-name"],
    "number": ["---\nname: number\ndescription: 7\n---\n", /description/],
    "empty": ["---\nname: empty\ndescription: ''\n---\n", /description/],
    "long": [`---\nname: long\ndescription: ${"x".repeat(1025)}\n---\n`, /1 to 1024/],
    "none": ["# Nothing\n", /begin with front matter/],
    "open": ["---\nname: open\ndescription: x\n", /begin with front matter/],
    "huge": [`---\nname: huge\ndescription: x\n${"# comment\n".repeat(7000)}---\n`, /65536/],
    // Neither may take long, or as many calls as there are lines.
    "lines": [`---\n${"a\n".repeat(6_000_000)}`, /65536/],
    "spaces": [`---\nname: spaces\na${" ".repeat(60_000)}b\n---\n`, /a key and a colon must be here/],
    "bytes": [new Uint8Array([0xff, 0xfe]), /UTF-8/],
    "many": [manifest("many"), /more than 512 files/, "skill-too-large"],
  };
  const FIELDS: readonly (readonly [yaml: string, reason: RegExp])[] = [
    ["metadata:\n  version: 1\n", /metadata/],
    ["compatibility: ''\n", /compatibility/],
    ["a: b: c\n", /line 4 .*quotes/],
    ["\ta: 1\n", /line 4/],
    ["a: x # c\n  y\n", /indented more/],
    ["a: |\n  x\n y\n", /indented/],
    ["a: !t 1\n", /tags are not supported/],
    ["__proto__: 1\n", /"constructor" or "__proto__", which cannot be sent/],
    ['a: {"b": {"constructor": 1}}\n', /"constructor" or "__proto__", which cannot be sent/],
    [`a:\n  ${"- ".repeat(40)}x\n`, /nested more than 32 deep/],
    [`a: ${nested(30_000)}\n`, /nested more than 200 deep/],
    [
      `a: &a ${nested(20, "]".repeat(20))}\nb: ${nested(20, "*a")}${"]".repeat(20)}\n`,
      /nested more than 32 deep/,
    ],
    [`a: &a ${"x".repeat(10_000)}\nb: [${"*a,".repeat(1000)}]\n`, /aliases expand to too large a value/],
    ["a: 12345678901234567890\n", /12345678901234567890 in quotes/],
  ];
  for (const [index, [yaml, reason]] of FIELDS.entries()) {
    ROWS[`s${index}`] = [manifest(`s${index}`, yaml), reason];
  }
  const broken = Object.entries(ROWS).map(([name, [text]]) => [`skills/${name}/SKILL.md`, text] as const);
  const { uris, findings } = await serve(t, { ...Object.fromEntries(broken), ...many, ...folder("good") });
  for (let round = 0; round < 2; round++) assert.deepEqual(await uris(), ["skill://good/SKILL.md"]);
  assert.equal(findings.length, broken.length);
  for (const [name, [, reason, expected = "skill-invalid"]] of Object.entries(ROWS)) {
    const { rule, severity, message } = findings.find(({ file }) => file === `skills/${name}/SKILL.md`)!;
    assert.deepEqual([rule, severity], [expected, "error"], name);
    assert.match(message, reason, name);
  }
});

test("links and names lead nowhere else, and large files are bounded", { skip: ON_WINDOWS }, async (t) => {
  const folder = makeFolder(t, {
    "secret.md": "secret",
    "outside/SKILL.md": manifest("outside"),
    "root/.env": "secret",
    "root/resources/guidelines/a.md": "# A\n",
    "root/skills/good/SKILL.md": manifest("good"),
    "root/skills/good/swapped.md": "first",
    "root/skills/good/bad\u001b[2J\n.md": "x",
    "root/skills/good/back\\slash.md": "x",
    "root/skills/large/SKILL.md": manifest("large"),
    "root/skills/large/data": "",
  });
  const root = `${folder}/root`, good = `${root}/skills/good`;
  symlinkSync("../../../secret.md", `${good}/secret.md`);
  symlinkSync("../../.env", `${good}/env.md`);
  symlinkSync("../../resources/guidelines/a.md", `${good}/a.md`);
  symlinkSync("../../outside", `${root}/skills/outside`);
  symlinkSync("good", `${root}/skills/again`);
  symlinkSync("gone.md", `${good}/gone.md`);
  truncateSync(`${root}/skills/large/data`, 16 * 2 ** 20);
  const { list, skills, client, findings } = await serve(t, root);
  const entries = await list();
  const [guideline, own] = entries;
  assert.deepEqual(urisOf(entries), ["skill://guidelines/a/SKILL.md", "skill://good/SKILL.md"]);
  assert.deepEqual(guideline!.frontmatter.name, "a");
  assert.deepEqual(filesOf(own!), ["skill://good/SKILL.md", "skill://good/a.md", "skill://good/swapped.md"]);
  assert.deepEqual(await text(skills, own!, "a.md"), "# A\n");
  assert.deepEqual(findings.map(({ rule, file }) => `${rule} ${file}`).sort(), [
    "link-leads-out skills/good/secret.md",
    "link-leads-out skills/outside",
    "skill-name skills/good/back\\slash.md",
    "skill-name skills/good/bad\u001b[2J\n.md",
    "skill-too-large skills/large/SKILL.md",
    "unreadable skills/good/env.md",
    "unreadable skills/good/gone.md",
  ]);
  // A file that became a link after it was listed.
  rmSync(`${good}/swapped.md`);
  symlinkSync("../../../secret.md", `${good}/swapped.md`);
  await assert.rejects(client.readResource("skill://good/swapped.md"), RpcError);
  await assert.rejects(client.readResource("skill://good/../../secret.md"), RpcError);
});

test("a root whose skills/ is a link out serves none", { skip: ON_WINDOWS }, async (t) => {
  const folder = makeFolder(t, { "root/resources/a/x.md": "# X\n", "other/a/SKILL.md": manifest("a") });
  symlinkSync("../other", `${folder}/root/skills`);
  const { mock } = t.mock.method(files, "list");
  const { uris, findings } = await serve(t, `${folder}/root`);
  assert.deepEqual(await uris(), []);
  // It is not even looked into.
  assert.deepEqual(mock.calls.filter(({ arguments: [path] }) => path.includes("skills")), []);
  assert.deepEqual(findings.map(({ rule }) => rule), ["link-leads-out"]);
});

test("what vanishes while the files of a skill are found is not reported", async (t) => {
  const { list, inMemory, findings } = await serve(t, {
    "skills/a/SKILL.md": manifest("a"),
    "skills/a/file.md": "x",
    "skills/a/folder/file.md": "x",
  });
  inMemory.oncall = (call) => {
    const [, path] = /^(?:status|list) (\/root\/skills\/a\/(?:file\.md|folder))$/.exec(call) ?? [];
    if (path !== undefined) inMemory.remove(path);
  };
  const [skill] = await list();
  assert.deepEqual(filesOf(skill!), ["skill://a/SKILL.md"]);
  assert.deepEqual(findings, []);
});

test("a change shows in the next list, and an entry from before it does not fit any more", async (t) => {
  const root = makeFolder(t, {
    "resources/guidelines/a.md": "# A\n\nFirst.\n",
    "skills/own/SKILL.md": manifest("own"),
    "skills/own/x.txt": "first",
  });
  const { list, uris, skills, documents } = await serve(t, root);
  const [guideline, own] = await list();
  assert.deepEqual(await list(), [guideline, own]);
  // Of other sizes: the clock of a file system may be too coarse to tell such changes apart.
  writeFiles(root, { "resources/guidelines/a.md": "# A\n\nAnother.\n", "skills/own/x.txt": "another" });
  await documents.reload();
  await assert.rejects(skills.read(own!, "x.txt"), { name: "SkillError", reason: "size" });
  await assert.rejects(skills.read(guideline!), { name: "SkillError", reason: "size" });
  await eventually(async () =>
    assert.equal(await text(skills, await skills.get(own!.uri), "x.txt"), "another")
  );
  const [changed] = await list();
  assert.match(await text(skills, changed!), /Another\.\n$/);
  writeFiles(root, { "skills/new/SKILL.md": manifest("new") });
  rmSync(`${root}/skills/own/SKILL.md`);
  const expected = ["skill://guidelines/a/SKILL.md", "skill://new/SKILL.md"];
  await eventually(async () => assert.deepEqual(await uris(), expected));
  // The name of a made skill is in its bytes: with another name it has another digest.
  writeFiles(root, { "skills/a/SKILL.md": manifest("a") });
  await eventually(async () => assert.equal((await list()).length, 3));
  const entries = await list();
  assert.deepEqual(entries.map(({ frontmatter: { name } }) => name), ["a-2", "a", "new"]);
  for (const entry of entries) await skills.read(entry);
});

test("a skill that is being written is served as it was; one that breaks again is reported again", async (t) => {
  const { uris, findings, inMemory } = await serve(t, folder("a"));
  const path = "/root/skills/a/SKILL.md";
  const ROWS = [["none", 0], [manifest("a"), 1], ["none", 0]] as const;
  assert.equal((await uris()).length, 1);
  for (const [index, [text, served]] of ROWS.entries()) {
    inMemory.write(path, text, Date.now() - 60_000 + index);
    await eventually(async () => assert.equal((await uris()).length, served));
  }
  await eventually(() => Promise.resolve(assert.equal(findings.length, 2)));
  inMemory.write(path, manifest("a"), Date.now() - 1000);
  await eventually(async () => assert.equal((await uris()).length, 1));
  // It is written all the time, and lacks its end. Time stands still, so that nothing takes too long.
  const [now, moment] = [Date.now(), performance.now()];
  t.mock.method(Date, "now", () => now);
  t.mock.method(performance, "now", () => moment);
  for (let round = 0; round < 10; round++) {
    inMemory.write(path, `---\nname: a${round}\n`, now);
    assert.equal((await uris()).length, 1);
  }
  t.mock.restoreAll();
  await eventually(async () => assert.equal((await uris()).length, 0));
});

test("a file is read for the page that has its digest, and again only when it has changed", async (t) => {
  const contents = { ...folder("a"), "skills/a/x.txt": "a", ...folder("b"), "skills/b/x.txt": "b" };
  const { client, uris, inMemory } = await serve(t, contents, 1);
  const opened = () => inMemory.calls.filter((call) => call.startsWith("open "));
  await client.call("skills/list", {});
  assert.deepEqual(opened().filter((call) => call.endsWith("x.txt")), ["open /root/skills/a/x.txt"]);
  await uris();
  const all = opened();
  for (let round = 0; round < 3; round++) assert.equal((await uris()).length, 2);
  assert.deepEqual(opened(), all);
});

test("what stands elsewhere is reported by its name, and a skill that is found in part is not served", async (t) => {
  const { uris, findings } = await serve(t, {
    "skills/SKILL.md": manifest("skills"),
    ...folder("a"),
    ...folder("b"),
    "skills/Ein Ä/SKILL.md": manifest("x"),
    ...Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`skills/b/z/.${index}`, ""])),
    ...folder("c"),
  });
  assert.deepEqual(await uris(), ["skill://a/SKILL.md"]);
  assert.deepEqual(findings.map(({ file, rule }) => `${rule} ${file}`).sort(), [
    "skill-invalid skills/SKILL.md",
    "skill-name skills/Ein Ä/SKILL.md",
    "skill-too-large skills/b/SKILL.md",
    "skill-too-large skills/b/z",
  ]);
});
