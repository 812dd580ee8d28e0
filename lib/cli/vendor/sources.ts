/** Which source files a copy of the program needs, by what they import. */

/** The parts that a copy can have in addition to "serve", with the modules that others load, later, for this part alone. */
export const LATER: Readonly<Record<string, readonly string[]>> = {
  search: [
    "lib/documents/tools.ts",
    "lib/mcp/server/questions.ts",
  ],
  commands: [
    "lib/cli/commands.ts",
    "lib/cli/overview.ts",
    "lib/mcp/server/mod.ts",
    "lib/documents/skills/store.ts",
    "lib/pages/app.ts",
  ],
};

/** All parts of the program. */
export const ALL_PARTS: readonly string[] = ["serve", ...Object.keys(LATER)];

/** The file that says which parts a copy has. */
const PARTS_FILE = "lib/cli/this_copy.ts";

/** Where the program and the library begin. */
const ENTRIES: readonly string[] = ["mod.ts", "deps.ts"];

/** The modules that a module loads, at once or later. Types are erased, so their imports load nothing. */
function importsOf(module: string, text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\//g, "");
  const statements = code.matchAll(/^(?:import|export)\s(?!type\s)[^;"]*?from "(\.[^"]+)"/gm);
  const calls = code.matchAll(/\bimport\("(\.[^"]+)"\)/g);
  return [...statements, ...calls].map(([, target]) =>
    new URL(target!, `file:///${module}`).pathname.slice(1)
  );
}

/** The modules that a copy with these parts loads, at once or later, sorted. `read` gives the text of a module. */
export function modulesOf(parts: readonly string[], read: (module: string) => string): string[] {
  const left = Object.entries(LATER).flatMap(([part, modules]) => parts.includes(part) ? [] : modules);
  const found = new Set(ENTRIES);
  // The loop also visits the modules that it adds.
  for (const module of found) {
    for (const target of importsOf(module, read(module))) if (!left.includes(target)) found.add(target);
  }
  return [...found].sort();
}

/** The file that names the libraries of the compiler: every module of the library needs it. */
const LIBRARIES_FILE = "lib/base/text.ts";
/** A host may name older libraries. Not in the sources, because packages must not change the types of a host. */
const LIBRARIES = '/// <reference lib="es2024" />\n';

/** The text of a file for a copy with these parts. */
export function copiedText(name: string, text: string, parts: readonly string[]): string {
  // The text may be that of a copy.
  if (name === LIBRARIES_FILE) return text.startsWith(LIBRARIES) ? text : LIBRARIES + text;
  if (name !== PARTS_FILE) return text;
  return text.replace(/(?<=PARTS.* = )\[.*\]/, () => `[${parts.map((part) => `"${part}"`).join(", ")}]`);
}
