/**
 * What changes on the day of publishing, in one step: `node .ci/publish.mjs https://github.com/OWNER/architrave`.
 *
 * `package.json` is no longer private, and names the repository; its name in the MCP registry belongs to the owner. The
 * README starts from the package, and the documents name the repository in place of OWNER. Then run `npm run bundle`, and
 * publish what is in `dist/`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const START =
  "You need Node 22.18, 24.3 or later. In a clone, `npx -y deno run --allow-read mod.ts` runs the same program.";
/** Documents that name the repository. */
const DOCUMENTS = [
  "README.md",
  "mcp/resources/guidelines/continuous-integration.md",
  "mcp/resources/guidelines/distribution.md",
];

const [url = "", folder = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2);
const [, host, owner, name] = /^https:\/\/(git(?:hub|lab)\.com)\/([\w.-]+)\/([\w.-]+)$/.exec(url) ?? [];
if (name === undefined) {
  console.error("publish: Name the repository, such as https://github.com/OWNER/architrave.");
  process.exit(2);
}

function change(file, edit) {
  const path = join(resolve(folder), file);
  writeFileSync(path, edit(readFileSync(path, "utf8")));
}

change("package.json", (text) => {
  const { private: isPrivate, mcpName: _, ...manifest } = JSON.parse(text);
  if (!isPrivate) throw new Error("The package is published already");
  const mcpName = `io.${host.replace(".com", "")}.${owner}/${name}`;
  const repository = { type: "git", url: `git+${url}.git` };
  return `${JSON.stringify({ ...manifest, mcpName, repository }, null, 2)}\n`;
});
for (const file of DOCUMENTS) {
  change(file, (text) =>
    text.replaceAll(/<?OWNER>?\/architrave/g, `${owner}/${name}`)
      .replaceAll(
        /npx -y deno run --allow-read(?:\s--allow-(?:net|write)=\S+)?\s(?:\.\.\/architrave\/)?mod\.ts/g,
        "npx -y architrave",
      )
      .replace(/^git clone .*\n/m, "")
      .replace(/<!-- until it is published -->[^]*?<!-- end -->/, () => START));
}
