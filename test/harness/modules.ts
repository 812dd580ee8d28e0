/** The modules of the project and what they import, read from their text. */

import { readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { filesOf } from "./folder.ts";
import { REPOSITORY } from "./program.ts";

/** One import of one module by another. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly lazy: boolean;
}

/** Every module that ships, from the root of the repository. */
export const modules: readonly string[] = [
  "mod.ts",
  "deps.ts",
  ...filesOf(`${REPOSITORY}/lib`).filter((file) => file.endsWith(".ts")).map((file) => `lib/${file}`),
];

/** The text of a module. */
export function textOf(module: string): string {
  return readFileSync(`${REPOSITORY}/${module}`, "utf8");
}

/** The code of a module without its comments, in which examples have imports too. */
export function codeOf(module: string): string {
  return textOf(module).replaceAll(/\/\*\*?[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

/** What a module imports: its statements, and the imports that run later. */
export function importsOf(module: string): Import[] {
  const code = codeOf(module);
  const statements = [...code.matchAll(/^(import|export)( type)?\s[^;]*?from "([^"]+)"/gm)]
    .map((found) => ({ target: found[3]!, typeOnly: found[2] !== undefined, lazy: false }));
  const calls = [...code.matchAll(/import\("([^"]+)"\)/g)]
    .map((found) => ({ target: found[1]!, typeOnly: false, lazy: true }));
  const effects = [...code.matchAll(/^import "([^"]+)"/gm)]
    .map((found) => ({ target: found[1]!, typeOnly: false, lazy: false }));
  return [...statements, ...effects, ...calls].map(({ target, ...kind }) => ({
    from: module,
    to: target.startsWith(".") ? posix.join(dirname(module), target) : target,
    ...kind,
  }));
}

/** All of them. */
export const imports: readonly Import[] = modules.flatMap(importsOf);
