/**
 * Makes what an npm user needs from the sources: JavaScript and declarations in `dist/`, with the documents beside them.
 *
 * Needs the two development packages: run `npm ci` first, then `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";

/** What `npx architrave` runs. A Node that is too old would otherwise end without a word, which a pipeline takes for success. */
const LAUNCHER = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  const { main } = await import("./lib/cli/main.js");
  await main(import.meta.dirname);
} else {
  console.error(\`architrave: Cannot run on Node \${process.versions.node}: install Node 22.18, 24.3 or later, or Deno 2.\`);
  process.exitCode = 2;
}
`;

const compiler = "node_modules/typescript/bin/tsc";
if (!existsSync(compiler)) {
  console.error("build: The compiler is not installed; run npm ci first.");
  process.exit(2);
}
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { stdio: "inherit" });
cpSync("mcp", "dist/mcp", { recursive: true });
writeFileSync("dist/bin.js", LAUNCHER);
chmodSync("dist/bin.js", 0o755);
