/** The command hook: gives an assistant the decisions for the files of an edit, before it edits them. */

import type { Platform } from "../platform/platform.ts";
import type { HookClient } from "./hook_clients.ts";
import type { Options } from "./options.ts";
import { inSlices, nextTurn, withTimeout } from "../base/async.ts";
import { attempt, printable, reasonOf, shortened } from "../base/text.ts";
import { findApplying } from "../documents/applying.ts";
import { readCode } from "../documents/check_code.ts";
import { editBreaks } from "../documents/edit_breaks.ts";
import { isGone, isInside } from "../documents/files.ts";
import { guidance, GUIDANCE_TOKENS } from "../documents/guidance.ts";
import { summarizer } from "../documents/summary.ts";
import { isAbsolute } from "../formats/glob.ts";
import { isExported, placesFrom, toExportEntry } from "./export_entries.ts";
import { indexLines } from "./export_index.ts";
import { foldersOf, NAME_A_FOLDER } from "./folders.ts";
import { HOOK_CLIENTS } from "./hook_clients.ts";
import { readHookInput } from "./hook_input.ts";
import { readInput } from "./io.ts";
import { assembleOnce } from "./once.ts";
import { CommandError } from "./options.ts";

/** How long a client has to wait at most, in milliseconds. */
const MAX_WAIT_MS = 2000;
/** Maximum length of an error message, in UTF-16 units. */
const MAX_MESSAGE = 500;

/**
 * Prints the answer to a hook whose input is on standard input; nothing if no document applies. The exit code is always 0: what goes
 * wrong is one line on standard error, because a hook must not stop the work.
 */
export async function hook(platform: Platform, options: Options): Promise<number> {
  const given = options.operands[0] === undefined ? undefined : HOOK_CLIENTS[options.operands[0]];
  const answer = options.has("start") ? startAnswer : editAnswer;
  try {
    const text = await withTimeout(answer(platform, options, given), MAX_WAIT_MS, undefined);
    if (text === undefined) throw new Error(`it takes longer than ${MAX_WAIT_MS / 1000} seconds`);
    platform.print("output", text);
  } catch (cause) {
    const details = cause instanceof CommandError ? await cause.details?.() ?? "" : "";
    const reason = printable(shortened(reasonOf(cause) + details, MAX_MESSAGE));
    platform.print("error", `architrave: There is no answer for the hook: ${reason}\n`);
  }
  return 0;
}

/** Maximum number of broken rules that are named. */
const MAX_BREAKS = 5;
/** The text of a token is counted as four bytes. */
const TOKEN_BYTES = 4;

type Answer = (platform: Platform, options: Options, given: HookClient | undefined) => Promise<string>;

/** What a session is told at its start: the index. */
const startAnswer: Answer = async (platform, options, client = HOOK_CLIENTS["claude-code"]!) => {
  const { catalogue, placeOf, summarize } = await load(platform, options, hereOf(platform));
  const entries = catalogue.documents.filter(isExported)
    .map((document) => toExportEntry(summarize(document), placeOf(document)));
  if (entries.length === 0) return "";
  const index = indexLines(entries, tokensOf(options) * TOKEN_BYTES).join("\n");
  return `${JSON.stringify(client.context(client.start, index))}\n`;
};

/** What an edit is told: the decisions for its files. */
const editAnswer: Answer = async (platform, options, given) => {
  const input = readHookInput(await readInput(platform));
  const client = given ?? Object.values(HOOK_CLIENTS).find((one) => one.matches(input))!;
  if (input.event === client.start) return await startAnswer(platform, options, client);
  if (input.edits.length === 0) return "";
  const folder = input.folder ?? hereOf(platform);
  const { store, catalogue, summarize } = await load(platform, options, folder);
  const paths = input.edits.map(({ path }) => isAbsolute(path) ? path : `${folder ?? ""}/${path}`);
  const { found, files } = await inSlices(findApplying(catalogue, paths), nextTurn);
  const edits = input.edits.map(({ after, before }, index) => {
    const { path, file } = files[index]!;
    return { file, after, before: before ?? textBefore(platform, options, path) };
  });
  const breaks = editBreaks(store, catalogue, edits);
  const broken = breaks.slice(0, MAX_BREAKS).map(({ text }) => `- ${text}`);
  if (breaks.length > MAX_BREAKS) broken.push(`- and ${breaks.length - MAX_BREAKS} more`);
  if (options.has("block") && breaks.some(({ isAdded }) => isAdded)) {
    const reason = ["The team's decisions forbid this edit:", ...broken].join("\n");
    return `${JSON.stringify(client.refusal(input.event, reason))}\n`;
  }
  const applying = found.map(({ document }) => document).filter(isExported);
  // A document without patterns has rules for all code.
  const all = [...new Set([...applying, ...breaks.map(({ document }) => document)])];
  if (all.length === 0) return "";
  const before = broken.length === 0 ? [] : ["This edit breaks decisions of the team:", ...broken, ""];
  const { text } = guidance(all.map(summarize), tokensOf(options), undefined, before);
  return `${JSON.stringify(client.context(input.event, text))}\n`;
};

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
  const placeOf = placesFrom(platform, documents, folder);
  return { store, catalogue, placeOf, summarize: summarizer(store, catalogue, placeOf) };
}
