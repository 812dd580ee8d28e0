/**
 * Skills (SEP-2640) in both directions: the conformance suite and the official client read those of the program, and our
 * client passes the suite's scenarios for hosts.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse } from "yaml";
import { makeFolder } from "../harness/folder.ts";
import { READ } from "../skills/front_matter.ts";
import type { HttpServer } from "./programs.ts";
import { runProgram, RUNTIMES, serveProgram, WELL } from "./programs.ts";
import { MODERN_REVISION } from "./rules.ts";

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Runs one scenario of the suite. */
async function runScenario(
  kind: "server" | "client",
  name: string,
  ...args: string[]
) {
  const checks: Check[] = [];
  const run = await runProgram(
    "@modelcontextprotocol/conformance/dist/index.js",
    // The suite has no extension on its line of revisions.
    [kind, "--scenario", name, ...args, "--output-dir", "results"],
    (folder) => {
      for (const each of readdirSync(`${folder}/results`)) {
        checks.push(...JSON.parse(readFileSync(`${folder}/results/${each}/checks.json`, "utf8")));
      }
    },
  );
  return { ...run, checks };
}

/** A skill is not listed among the resources, which have each document once: its metadata shows in its directory. */
const NOT_LISTED = ["sep-2640-skillmd-metadata-name", "sep-2640-skillmd-metadata-description"];

for (const runtime of RUNTIMES) {
  describe(
    `skills of the program on ${runtime.name}`,
    { skip: runtime.skip },
    () => {
      let server: HttpServer;
      before(async () => server = await serveProgram(runtime));
      after(async () => assert.deepEqual(await server.stop(), WELL));

      for (
        const [name, least] of [["directory", 6], ["enumeration", 28], ["manifest", 3]] as const
      ) {
        it(`pass sep-2640-skills-${name}`, async () => {
          const { code, checks, stdout, stderr, heard } = await runScenario(
            "server",
            `sep-2640-skills-${name}`,
            ...["--url", server.url, "--spec-version", MODERN_REVISION, "--force"],
          );
          assert.equal(code, 0, stdout + stderr);
          const passed = checks.filter(({ status }) => status === "SUCCESS");
          const others = checks.filter(({ status }) => status !== "SUCCESS");
          assert.ok(passed.length >= least, `${passed.length} checks`);
          const expected = name === "manifest" ? NOT_LISTED.map((id) => ({ id, status: "WARNING" })) : [];
          assert.deepEqual(others.map(({ id, status }) => ({ id, status })), expected);
          assert.deepEqual(heard.problems, []);
        });
      }
    },
  );

  describe(`the official client on skills of the program on ${runtime.name}`, { skip: runtime.skip }, () => {
    it("lists, gets and verifies every file, of documents, prompts and a folder", async (t) => {
      const manifest = [
        "---",
        "name: refunds",
        "description: >-",
        "  Process refunds.",
        "  Use when a customer asks.",
        "license: MIT # see LICENSE",
        "metadata:",
        '  version: "2.1"',
        'allowed-tools: ["Read", "Bash(git:*)"]',
        "---",
        "",
        "# Refunds",
        "",
      ];
      const root = makeFolder(t, {
        "resources/guidelines/Naming Things.md": "# Naming\n\nShort names.\n",
        "resources/patterns/retry.md":
          '---\ntitle: Retry\napplies-to: ["src/**"]\n---\n\n# Retry\n\nAgain.\n',
        "resources/adr/001-use-x.md":
          "# Use X\n\n## Status\n\nAccepted\n\n## Context\n\nWhy.\n\n## Decision\n\nX.\n",
        "prompts/ask.json": JSON.stringify({
          name: "ask",
          description: "Asks.",
          messages: [{
            role: "user",
            content: { type: "text", text: "Read\n<<resource:architecture://patterns/*>>" },
          }],
        }),
        "skills/billing/refunds/SKILL.md": manifest.join("\r\n"),
        "skills/billing/refunds/assets/a&b (1).bin": new Uint8Array([0, 255, 1, 254]),
        "skills/billing/refunds/references/FORMS.md": "\uFEFF# Forms\n",
      });
      const { command, args, cwd, env } = runtime.launch(root);
      const client = new Client({ name: "official", version: "1" }, {
        versionNegotiation: { mode: { pin: MODERN_REVISION } },
      });
      await client.connect(new StdioClientTransport({ command, args, cwd, env }));
      try {
        const skills = new SkillsClient(client, { parseFrontmatter: (yaml) => parse(yaml) });
        assert.ok(skills.supported && skills.directoryRead);
        const { skills: entries } = await skills.list();
        // The sandbox of Deno hides the prompts that come with the program.
        const own = entries.filter(({ uri }) => !/create-adr|against-patterns|suggest-patterns/.test(uri));
        assert.equal(entries.length - own.length, runtime.name === "node" ? 3 : 0);
        assert.deepEqual(own.map(({ uri }) => uri), [
          "skill://how-we-decide/SKILL.md",
          "skill://guidelines/naming-things/SKILL.md",
          "skill://patterns/retry/SKILL.md",
          "skill://prompts/ask/SKILL.md",
          "skill://billing/refunds/SKILL.md",
        ]);
        let files = 0;
        for (const entry of entries) {
          const { skill } = await skills.get(entry.uri);
          assert.deepEqual(skill, entry);
          assert.ok(Array.isArray(entry.resources));
          for (const { uri } of entry.resources) {
            assert.ok((await skills.read(entry, uri)).verified, uri);
            files++;
          }
        }
        assert.ok(files >= 8, `${files} files`);
        const refunds = entries.at(-1)!;
        assert.deepEqual(refunds.frontmatter, {
          name: "refunds",
          description: "Process refunds. Use when a customer asks.",
          license: "MIT",
          metadata: { version: "2.1" },
          "allowed-tools": ["Read", "Bash(git:*)"],
        });
        assert.deepEqual([...(await skills.read(refunds, "assets/a&b (1).bin")).bytes], [0, 255, 1, 254]);
        const { resources } = await skills.readDirectory("skill://billing/refunds");
        assert.deepEqual(
          resources.map(({ name, mimeType }) => [name, mimeType]),
          [
            ["refunds", "text/markdown"],
            ["assets", "inode/directory"],
            ["references", "inode/directory"],
          ],
        );
      } finally {
        await client.close();
      }
    });
  });

  describe(`our client as a host of skills on ${runtime.name}`, { skip: runtime.skip }, () => {
    const { command, args } = runtime.script("everything_client.ts", [], ["--allow-net", "--allow-env"]);
    for (
      const name of ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]
    ) {
      it(`passes sep-2640-client-${name}`, async () => {
        const launch = ["--command", [command, ...args].join(" "), "--timeout", "60000"];
        const { code, checks, stdout, stderr } = await runScenario(
          "client",
          `sep-2640-client-${name}`,
          ...launch,
        );
        assert.deepEqual(checks.map(({ status }) => status), ["SUCCESS"], stdout + stderr);
        assert.equal(code, 0, stdout + stderr);
      });
    }
  });
}

it("what the tests of front matter expect is what YAML has", () => {
  for (const [yaml, fields] of READ) {
    assert.deepEqual(parse(yaml), fields, yaml);
  }
});
