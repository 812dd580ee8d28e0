/** What hooks are answered: the decisions for some files, or the index of all documents. */

import type { JsonObject } from "../base/json.ts";
import type { Platform } from "../platform/platform.ts";
import type { HookClient } from "./hook_clients.ts";
import type { HookInput } from "./hook_input.ts";
import type { Options } from "./options.ts";
import { inSlices, nextTurn } from "../base/async.ts";
import { attempt } from "../base/text.ts";
import { findApplying } from "../documents/applying.ts";
import { readCode } from "../documents/check_code.ts";
import { editBreaks, MAX_EDIT } from "../documents/edit_breaks.ts";
import { isGone, isInside } from "../documents/files.ts";
import { guidance, GUIDANCE_TOKENS } from "../documents/guidance.ts";
import { summarizer } from "../documents/summary.ts";
import { isAbsolute, toFilePath } from "../formats/glob.ts";
import { isExported, placesFrom, toExportEntry } from "./export_entries.ts";
import { indexLines } from "./export_index.ts";
import { foldersOf, NAME_A_FOLDER } from "./folders.ts";
import { assembleOnce } from "./once.ts";

/** What the text of a token is counted as, in bytes. */
const TOKEN_BYTES = 4;
/** Time limit of the index for a guess, and of its search, in milliseconds. */
const GUESS_MS = 2000;
/** Maximum number of broken rules that are named. */
const MAX_BREAKS = 5;

type Answer = Promise<JsonObject | undefined>;

/** Whether a client works outside of the folder of --code, which is the repository of the documents. */
export function isElsewhere({ files }: Platform, options: Options, { folder = "" }: HookInput): boolean {
  const code = options.get("code");
  const [within, here] = [code, folder].map((path = "") => attempt(() => files.realPath(path)));
  return within !== undefined && here !== undefined && !isInside(here, within, files.separator);
}

/** What a session is told at its start: the index. Undefined without documents. */
export async function sessionAnswer(
  platform: Platform,
  options: Options,
  client: HookClient,
  { event, folder = hereOf(platform) }: HookInput,
): Answer {
  const { catalogue, summarize } = await load(platform, options, folder);
  const entries = catalogue.documents.filter(isExported).map((document) =>
    toExportEntry(summarize(document))
  );
  const index = indexLines(entries, tokensOf(options) * TOKEN_BYTES).join("\n");
  return entries.length === 0 ? undefined : client.context(event || client.start, index);
}

/** What is told of the files that an assistant reads or edits, and what an edit breaks. Undefined if nothing is to be said. */
export async function fileAnswer(
  platform: Platform,
  options: Options,
  client: HookClient,
  { event, folder = hereOf(platform), files: given }: HookInput,
): Answer {
  const { documents, store, catalogue, summarize } = await load(platform, options, folder);
  const paths = given.map(({ path }) => isAbsolute(path) ? path : `${folder ?? ""}/${path}`);
  const text = given.map(({ after }) => after ?? "").join("\n").slice(0, MAX_EDIT);
  const { found, files } = await inSlices(findApplying(catalogue, paths, text), nextTurn);
  const edits = given.flatMap(({ after, before }, index) => {
    const { path, file } = files[index]!, inside = `${folder}/`;
    // Where no pattern says where the root is, it is the working directory.
    const named = file === toFilePath(path) && path.startsWith(inside) ? path.slice(inside.length) : file;
    return after === undefined ? [] : {
      file: named,
      after: after.slice(0, MAX_EDIT),
      before: before ?? textBefore(platform, options, path),
    };
  });
  const breaks = await inSlices(editBreaks(store, catalogue, edits), nextTurn);
  const broken = breaks.slice(0, MAX_BREAKS).map(({ text }) => `- ${text}`);
  if (breaks.length > MAX_BREAKS) broken.push(`- and ${breaks.length - MAX_BREAKS} more`);
  // After an edit, a refusal would only hide its result.
  const canRefuse = options.has("block") && !/^(?:after|post)/i.test(event);
  if (canRefuse && breaks.some(({ isAdded }) => isAdded)) {
    return client.refusal(event, ["The team's decisions forbid this edit:", ...broken].join("\n"));
  }
  const applying = found.map(({ document }) => document).filter(isExported);
  const [first] = files, whole = applying.length === 0 && first && textBefore(platform, options, first.path);
  const code = whole ? { file: first!.file, text: whole } : undefined;
  const guess = code &&
    await (await import("../documents/guess.ts")).guessDocument(documents, catalogue, code, {
      timeoutMs: GUESS_MS,
    });
  // A document without patterns has rules for all code.
  const others = [...breaks.map(({ document }) => document), ...guess ? [guess.document] : []];
  const all = [...new Set([...applying, ...others])];
  if (all.length === 0) return undefined;
  const before = [
    ...broken.length === 0 ? [] : ["This edit breaks decisions of the team:", ...broken, ""],
    ...guess ? [`No document names this file; what follows is ${guess.matched}.`, ""] : [],
  ];
  return client.context(event, guidance(all.map(summarize), tokensOf(options), undefined, before).text);
}

/** The text of a file before it is written; "" if there is none; undefined if --code does not name a folder that contains it. */
function textBefore({ files }: Platform, options: Options, path: string): string | undefined {
  const code = options.get("code"), within = attempt(() => files.realPath(code ?? ""));
  if (code === undefined || within === undefined || !isInside(path, within, files.separator)) {
    return undefined;
  }
  const names = path.slice(within.length).split(files.separator).filter((name) => name !== "");
  if (names.includes("..")) return undefined;
  return isGone(files, path) ? "" : readCode(files, within, names.join("/"));
}

const tokensOf = (options: Options): number => options.get<number>("budget") ?? GUIDANCE_TOKENS;

const hereOf = ({ files }: Platform): string | undefined => attempt(() => files.realPath("."));

/** Reads the documents. Throws an error for the sample, which no assistant must follow. */
async function load(platform: Platform, options: Options, folder: string | undefined) {
  if (foldersOf(platform, options).isSample) throw new Error(NAME_A_FOLDER);
  const { documents } = await assembleOnce(platform, options);
  await documents.ready();
  const { store } = documents, { catalogue } = store;
  // The client may name its folder by a link.
  const real = attempt(() => platform.files.realPath(folder ?? "")) ?? folder;
  const placeOf = placesFrom(platform, documents, real);
  return { documents, store, catalogue, summarize: summarizer(store, catalogue, placeOf) };
}
