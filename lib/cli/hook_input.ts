/** What a client tells its hooks of an edit: which files, and their text before and after it. */

import type { JsonObject } from "../base/json.ts";
import { asArray, asObject, asString, isObject, own, tryParse } from "../base/json.ts";
import { toLines } from "../formats/markdown/lines.ts";

/** One edit of a file. */
export interface HookEdit {
  /** As the client gives it: absolute, or from its working directory. */
  readonly path: string;
  /** The text of the file, or of the part that changes, after the edit. */
  readonly after: string;
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
  readonly edits: readonly HookEdit[];
}

// The names that clients give to the same things. Clients copy each other, so all of them are looked for in all inputs.
const EVENTS = ["hook_event_name", "hookEventName", "event"];
const TOOL_INPUTS = ["tool_input", "toolInput", "toolArgs", "tool_args"];
const PATHS = ["file_path", "filePath", "notebook_path", "notebookPath", "target_file", "path"];
const TEXTS = [
  "new_string",
  "newString",
  "new_str",
  "content",
  "contents",
  "file_text",
  "new_source",
  "newCode",
];
const OLD_TEXTS = ["old_string", "oldString", "old_str"];
const LISTS = ["edits", "replacements"];
const PATCHES = ["command", "input", "patch"];

/** Reads the input of a hook. Throws an error if it is not a JSON object. */
export function readHookInput(text: string): HookInput {
  const members = tryParse(text.replace(/^\uFEFF/, ""));
  if (!isObject(members)) throw new Error("the input is not a JSON object");
  const given = first(members, TOOL_INPUTS, (value) => value) ?? members;
  const parsed = typeof given === "string" ? tryParse(given) : given;
  const edits = isObject(parsed) ? editsIn(parsed, undefined) : patchEdits(asString(given) ?? "");
  return {
    members,
    event: first(members, EVENTS, asString) ?? "",
    folder: first(
      members,
      ["cwd", "workspace_roots"],
      (value) => asString(value) ?? asString(asArray(value)[0]),
    ),
    edits,
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

/** The edits in the input of a tool. Those in a list may have the path of the object around them. */
function editsIn(input: JsonObject, outer: string | undefined): HookEdit[] {
  const path = first(input, PATHS, asString) || outer;
  const after = first(input, TEXTS, asString);
  const before = first(input, OLD_TEXTS, asString);
  const inner = outer === undefined ? LISTS.flatMap((name) => asArray(own(input, name))) : [];
  return [
    ...path && after !== undefined ? [{ path, after, before }] : [],
    ...inner.flatMap((one) => editsIn(asObject(one), path ?? "")),
    ...PATCHES.flatMap((name) => patchEdits(asString(own(input, name)) ?? "")),
  ];
}

/** The edits of a patch in the form of `apply_patch`; none if the text has no patch. */
function patchEdits(text: string): HookEdit[] {
  const start = text.indexOf("*** Begin Patch");
  if (start < 0) return [];
  const edits: { path: string; after: string; before: string }[] = [];
  for (const line of toLines(text.slice(start)).slice(1)) {
    if (line.startsWith("*** End Patch")) break;
    const [, kind, path] = /^\*\*\* (Add File|Update File|Move to): (.+)$/.exec(line) ?? [];
    const last = edits.at(-1);
    if (kind === "Move to" && last) edits.push({ ...last, path: path! });
    else if (path !== undefined) edits.push({ path, after: "", before: "" });
    if (last && /^[ +]/.test(line)) last.after += `${line.slice(1)}\n`;
    if (last && /^[ -]/.test(line)) last.before += `${line.slice(1)}\n`;
  }
  return edits;
}
