/** What the peers borrow from Deno: the twin of `platform_node.mjs`, without any `node:` import. */

/** The part of Deno's API that is used here, so that this file also type-checks without Deno's own types. */
declare const Deno: {
  args: string[];
  readDirSync(path: string): Iterable<{ name: string }>;
  readTextFileSync(path: string): string;
  stdin: { read(buffer: Uint8Array): Promise<number | null> };
  stdout: { writeSync(bytes: Uint8Array): number };
};

/** Size of the buffer that stdin is read into, in bytes: what a pipe holds on Linux. */
const INPUT_BYTES = 65_536;

/** The folder given by `--root`. */
export const root: string = Deno.args[Deno.args.indexOf("--root") + 1] ?? "";

/** The files of a root, as text. */
export interface Files {
  documents: { name: string; text: string }[];
  prompts: string[];
}

/** Reads every document and prompt of a root into memory. */
export function readFiles(): Files {
  const documents = [...Deno.readDirSync(`${root}/resources/guidelines`)].map(({ name }) => ({
    name: name.slice(0, -".md".length),
    text: Deno.readTextFileSync(`${root}/resources/guidelines/${name}`),
  }));
  const prompts = [...Deno.readDirSync(`${root}/prompts`)].map(({ name }) =>
    Deno.readTextFileSync(`${root}/prompts/${name}`)
  );
  return { documents, prompts };
}

/** Calls back with each line of stdin, without its newline. */
export async function eachLine(callback: (line: string) => void): Promise<void> {
  const buffer = new Uint8Array(INPUT_BYTES);
  const decoder = new TextDecoder();
  let pending = "";
  for (let count = await Deno.stdin.read(buffer); count !== null; count = await Deno.stdin.read(buffer)) {
    const lines = (pending + decoder.decode(buffer.subarray(0, count), { stream: true })).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) callback(line);
  }
}

const encoder = new TextEncoder();

/** Writes text to stdout. */
export function write(text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}
