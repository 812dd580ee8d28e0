/**
 * Makes what an npm user needs from the sources: JavaScript and declarations in `dist/`, with the documents beside them.
 *
 * Needs the two development packages. Run it with `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
execFileSync("npx", ["tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
cpSync("mcp", "dist/mcp", { recursive: true });
chmodSync("dist/mod.js", 0o755);
