import { execFileSync } from "node:child_process";
import process from "node:process";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../../harness/folder.ts";
import type { RunOptions } from "../../harness/program.ts";
import { command, ON_DENO, REPOSITORY } from "../../harness/program.ts";
import type { Group } from "../../harness/watched.ts";
import { ALWAYS_MS, ORDINARILY_MS, Watched } from "../../harness/watched.ts";
import { definition } from "../../prompts/definitions.ts";

const FILES = { "resources/docs/a.md": "# A\n", "prompts/a.json": definition("A", { name: "a" }) };
const ONE_WARNING =
  /^architrave: warning: File changes cannot be watched here \(.+\), so files are checked every 1500 ms\n$/;
const EXHAUST = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@"';

export const SURROUNDINGS: readonly Group[] = [
  {
    name: "with read access to its root and nothing else",
    run: async (t) => {
      const shelf = await Watched.start(t, FILES, undefined, (folder) => ({ runtimeFlags: sandbox(folder) }));
      await follow(t, shelf, "sandbox", ORDINARILY_MS);
      await shelf.close();
    },
  },

  {
    name: "where watching fails",
    run: async (t) => {
      const shelf = await Watched.start(t, FILES, undefined, unwatched(t));
      await follow(t, shelf, "watching fails", ALWAYS_MS);
      await shelf.close(ONE_WARNING);
    },
  },

  {
    name: "where watching fails, with --poll",
    run: async (t) => {
      const shelf = await Watched.start(
        t,
        FILES,
        (folder) => ["--root", folder, "--poll", "50"],
        unwatched(t),
      );
      await follow(t, shelf, "watching fails, with --poll 50", ORDINARILY_MS);
      await shelf.close();
    },
  },

  {
    name: "where the system has no more watches",
    run: async (t) => {
      if (!canExhaust()) return t.skip("only for Linux where anybody may have a namespace");
      const shelf = await Watched.start(t, FILES, undefined, (folder) => exhausted(t, folder));
      await shelf.becomes(t, "no more watches: create", () => shelf.write("resources/docs/b.md", "# B\n"), {
        "docs/a": "# A\n",
        "docs/b": "# B\n",
      }, { promised: ALWAYS_MS });
      await shelf.close(ONE_WARNING);
    },
  },
];

/** The basic changes, and a few of them in new folders. */
async function follow(t: TestContext, shelf: Watched, where: string, promised: number): Promise<void> {
  const a = { "docs/a": "# A\n" };
  const rows: [string, () => void, Record<string, string>][] = [
    ["create", () => shelf.write("resources/docs/b.md", "# B\n"), { ...a, "docs/b": "# B\n" }],
    ["modify", () => shelf.write("resources/docs/b.md", "# C\n"), { ...a, "docs/b": "# C\n" }],
    ["nested folders", () => shelf.write("resources/docs/x/y/z.md", "# Z\n"), {
      ...a,
      "docs/b": "# C\n",
      "docs/x/y/z": "# Z\n",
    }],
    ["delete", () => shelf.remove("resources/docs/b.md"), { ...a, "docs/x/y/z": "# Z\n" }],
  ];
  for (const [name, change, texts] of rows) {
    await shelf.becomes(t, `${where}: ${name}`, change, texts, { promised });
  }
  await shelf.row(t, `${where}: a prompt`, {
    change: () => shelf.write("prompts/a.json", definition("B", { name: "a", description: "New" })),
    see: () => shelf.prompts(),
    after: { "prompt a": "New", "get a": "B" },
    told: ["prompts"],
    promised,
  });
}

/** The flags that allow to read some folders and nothing else. */
function sandbox(folder: string): string[] {
  if (ON_DENO) {
    const denied = ["env", "net", "run", "write", "sys", "ffi"].map((name) => `--deny-${name}`);
    return ["--no-prompt", `--allow-read=${folder}`, ...denied];
  }
  // Up to Node 22 the permission model has another name.
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const allowed = [folder, REPOSITORY].flatMap((path) => [path, `${path}/*`]);
  return [
    "--experimental-strip-types",
    "--no-warnings",
    permission,
    ...allowed.map((path) => `--allow-fs-read=${path}`),
  ];
}

/** Runs the program where the runtime cannot watch anything. */
function unwatched(test: TestContext): RunOptions {
  const fail = '{ throw Object.assign(new Error("No space left"), { code: "ENOSPC" }); }';
  const node = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    fs.watch = () => ${fail};
    syncBuiltinESMExports();`;
  const folder = makeFolder(test, { "before.mjs": ON_DENO ? `Deno.watchFs = () => ${fail};` : node });
  const before = `${folder}/before.mjs`;
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--preload", before]
    : ["--experimental-strip-types", "--no-warnings", "--import", pathToFileURL(before).href];
  return { runtimeFlags };
}

/** Runs the program in a namespace that may watch nothing. */
function exhausted(test: TestContext, root: string): RunOptions {
  const [file, args] = command(["--root", root]);
  const all = ["-Ur", "sh", "-c", EXHAUST, file, ...args];
  const folder = makeFolder(test, {
    "launch.mjs": `import { spawn } from "node:child_process";
    import process from "node:process";
    const child = spawn("unshare", ${JSON.stringify(all)}, { stdio: "inherit" });
    child.on("close", (code) => process.exit(code ?? 1));`,
  });
  return { module: `${folder}/launch.mjs`, ...(ON_DENO ? { runtimeFlags: ["-A"] } : {}) };
}

function canExhaust(): boolean {
  try {
    execFileSync("unshare", ["-Ur", "sh", "-c", EXHAUST, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
