/**
 * Makes what an npm user needs from the sources: JavaScript and declarations in `dist/`, with the documents next to them.
 *
 * Needs the two development packages: run `npm ci` first, then `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";

/** What `npx architrave` runs. A Node that is too old would otherwise end without a word, which a pipeline takes for success. */
const LAUNCHER = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 3) || (major === 22 && minor >= 18)) {
  const { main } = await import("./lib/cli/main.js");
  await main(import.meta.dirname);
} else {
  console.error(\`architrave: Cannot run on Node \${process.versions.node}: install Node 22.18, 24.3 or later, or Deno 2.\`);
  // A hook that fails refuses the edit in some clients.
  process.exitCode = process.argv.includes("hook") ? 0 : 2;
}
`;

/** The software bill of materials, CycloneDX 1.6: what is installed with the package, which is nothing. */
function billOfMaterials() {
  const { name, version, description, license, dependencies = {} } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  const own = `pkg:npm/${name}@${version}`;
  const packages = Object.entries(dependencies).map(([other, range]) => ({ name: other, version: range }));
  const components = packages.map((one) => ({ type: "library", "bom-ref": `pkg:npm/${one.name}`, ...one }));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: own,
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map((one) => one["bom-ref"]) }],
  };
}

// Modes are part of the archive: they must not depend on the umask of the machine.
process.umask(0o022);
const compiler = "node_modules/typescript/bin/tsc";
if (!existsSync(compiler)) {
  console.error("build: The compiler is not installed; run npm ci first.");
  process.exit(2);
}
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { stdio: "inherit" });
const { parseProject } = await import("./syntax.mjs");
const { CHUNKS, linkChunks } = await import("./link_modules.mjs");
const linked = linkChunks(parseProject(resolve("dist"), ".js"), CHUNKS);
for (const [file, text] of linked) writeFileSync(`dist/${file}`, text);
cpSync("mcp", "dist/mcp", { recursive: true });
const copied = readdirSync("dist/mcp", { recursive: true, withFileTypes: true });
for (const file of copied) chmodSync(`${file.parentPath}/${file.name}`, file.isDirectory() ? 0o755 : 0o644);
for (const file of readdirSync(".").filter((name) => /^(?:[A-Z]+|package\.json$)/.test(name))) {
  chmodSync(file, 0o644);
}
writeFileSync("dist/bin.js", LAUNCHER);
chmodSync("dist/bin.js", 0o755);
writeFileSync("dist/sbom.cdx.json", `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);
