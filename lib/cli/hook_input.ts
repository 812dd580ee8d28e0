/** What a client tells its hooks of a tool call: the files that it reads or edits, and their text before and after an edit. */

import type { JsonObject } from "../base/json.ts";
import { asArray, asObject, asString, isObject, own, tryParse } from "../base/json.ts";
import { toLines } from "../formats/markdown/lines.ts";

/** A file that a tool reads or edits. */
export interface HookFile {
  /** As the client gives it: absolute, or from its working directory. */
  readonly path: string;
  /** The text of the file, or of the part that changes, after the edit; undefined if the file is read. */
  readonly after: string | undefined;
  /** The text of that part before the edit; undefined if it is not known, because the whole file is written. */
  readonly before: string | undefined;
}

/** The input of a hook. */
export interface HookInput {
  /** All its members, which tell the clients apart. */
  readonly members: JsonObject;
  /** The event, as the client names it: "PreToolUse"; "" without a name. */
  readonly event: string;
  /** The working directory of the client. */
  readonly folder: string | undefined;
  /** None, if the tool neither reads nor edits a file. */
  readonly files: readonly HookFile[];
}

// The names that clients give to the same things. They copy each other, so all names are looked for in all inputs.
const TOOLS = ["tool_name", "toolName"];
const TOOL_INPUTS = ["tool_input", "toolArgs"];
const PATHS = ["file_path", "filePath", "notebook_path", "path"];
const TEXTS = ["new_string", "newString", "new_str", "content", "file_text", "new_source", "newCode", "code"];
const OLD_TEXTS = ["old_string", "oldString", "old_str"];
const LISTS = ["edits", "replacements"];
const PATCHES = ["command", "input"];
/** The tools and events that read or delete a file. Other tools also take paths, to search in them. */
const READS = /^(?:read|view|beforeRead|delete)/i;

/** Reads the input of a hook. Throws an error if it is not a JSON object. */
export function readHookInput(text: string): HookInput {
  const members = tryParse(text.replace(/^\uFEFF/, ""));
  if (!isObject(members)) throw new Error("the input is not a JSON object");
  const event = asString(own(members, "hook_event_name")) ?? "";
  const given = first(members, TOOL_INPUTS, (value) => value) ?? members;
  const parsed = typeof given === "string" ? tryParse(given) : given;
  const isRead = [event, first(members, TOOLS, asString) ?? ""].some((name) => READS.test(name));
  const [root] = asArray(own(members, "workspace_roots"));
  return {
    members,
    event,
    folder: asString(own(members, "cwd")) ?? asString(root),
    files: isObject(parsed) ? filesIn(parsed, isRead) : patchFiles(asString(given) ?? ""),
  };
}

function first<T>(
  object: JsonObject,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = read(own(object, name));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The files in the input of a tool. Edits in a list may have the path of the object around them. */
function filesIn(input: JsonObject, isRead: boolean, outer?: string): HookFile[] {
  const path = first(input, PATHS, asString) || outer;
  const after = isRead ? undefined : first(input, TEXTS, asString);
  const inner = outer === undefined ? LISTS.flatMap((name) => asArray(own(input, name))) : [];
  return [
    ...path && (isRead || after !== undefined)
      ? [{ path, after, before: first(input, OLD_TEXTS, asString) }]
      : [],
    ...inner.flatMap((one) => filesIn(asObject(one), isRead, path ?? "")),
    ...PATCHES.flatMap((name) => patchFiles(asString(own(input, name)) ?? "")),
  ];
}

/** The files of a patch in the form of `apply_patch`; none if the text has no patch. */
function patchFiles(text: string): HookFile[] {
  const start = text.indexOf("*** Begin Patch");
  if (start < 0) return [];
  const files: { path: string; after: string; before: string }[] = [];
  for (const line of toLines(text.slice(start)).slice(1)) {
    if (line.startsWith("*** End Patch")) break;
    const [, kind, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line) ?? [];
    const last = files.at(-1);
    if (kind === "Move to" && last) files.push({ ...last, path: path! });
    else if (path !== undefined) files.push({ path, after: "", before: "" });
    if (last && /^[ +]/.test(line)) last.after += `${line.slice(1)}\n`;
    if (last && /^[ -]/.test(line)) last.before += `${line.slice(1)}\n`;
  }
  return files;
}
