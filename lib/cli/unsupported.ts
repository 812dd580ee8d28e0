/** Says that this runtime is too old. Loaded by nothing else than `mod.ts`, on such a runtime. */

/** What is used of Node's process. */
interface NodeProcess {
  readonly argv?: readonly string[];
  readonly stderr: { write(text: string): unknown };
  readonly versions: { readonly node?: string };
  exitCode?: number;
}

/**
 * Prints a sentence in a program that was started with this file, and throws an error in one that imports it. Up to Node 24.2,
 * `import.meta.main` is missing, or false in a file of types: the program would end without a word.
 */
export function refuseRuntime(file: string): false {
  const { Deno: deno } = globalThis as { Deno?: { readonly version: { readonly deno: string } } };
  if (deno) {
    const advice = "install Deno 2.4 or later, or Node 24.3 or later";
    throw new Error(`Cannot run on Deno ${deno.version.deno} on Windows: ${advice}`);
  }
  const { process: node } = globalThis as unknown as { process: NodeProcess };
  const message = `Cannot run on Node ${node.versions.node}: install Node 22.18, 24.3 or later, or Deno 2`;
  // Node also starts the file by a link, or without the end of its name.
  const [started, own] = [node.argv?.[1] ?? "", file].map((path) => /([^\\/]+?)(?:\.\w+)?$/.exec(path)?.[1]);
  if (started !== own) throw new Error(message);
  node.stderr.write(`architrave: ${message}.\n`);
  // A hook that fails refuses the edit in some clients.
  node.exitCode = node.argv!.includes("hook") ? 0 : 2;
  return false;
}
