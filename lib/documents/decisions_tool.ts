/** The tool `decisions_for`: which documents apply to some files, and what they say. */

import type { Tool, ToolView } from "../mcp/server/tool.ts";
import type { Applying } from "./applying.ts";
import type { Catalogue } from "./catalogue.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { Summary } from "./summary.ts";
import { inSlices, nextTurn } from "../base/async.ts";
import { textHash } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { cutMarkdown } from "../formats/markdown/cut.ts";
import { findApplying } from "./applying.ts";
import { editBreaks, MAX_EDIT } from "./edit_breaks.ts";
import { guessDocument } from "./guess.ts";
import { guidance, GUIDANCE_TOKENS } from "./guidance.ts";
import { isOver, isTold } from "./records/status.ts";
import { summarizer } from "./summary.ts";
import {
  documentTool,
  fitting,
  integer,
  listOf,
  noticeOf,
  objectOf,
  showDocument,
  showPage,
  string,
} from "./tool_parts.ts";
import { toUri } from "./uri.ts";

/** The maximum number of paths in a call. */
const MAX_PATHS = 100;
/** The maximum length of an answer, in characters: about 3,000 tokens. */
const ANSWER_BUDGET = 12_000;
/** The maximum length of the paths of a document in an answer, in characters. */
const PATHS_BUDGET = 500;
/** The maximum length of a decision in an answer, in UTF-16 units. */
const MAX_DECISION = 600;
/** The maximum number of broken rules in an answer. */
const MAX_BREAKS = 10;
/** The maximum number of sessions of hooks, and of documents of a session, that are known. The oldest are forgotten. */
const MAX_SESSIONS = 100, MAX_TOLD = 1000;

export function decisionsFor(documents: DocumentProvider, _: Catalogue, ui?: ToolView): Tool {
  const sessions = new Map<string, Set<number>>();
  return documentTool(documents, {
    name: "decisions_for",
    ui,
    title: "Decisions for files",
    description:
      "The team's decisions, rules, patterns and guidelines for files you create or change, the most specific first: what each " +
      "forbids and decides. Call it before each edit; follow the answer.",
    // Claude Code hides tools until the model searches for them, unless they ask to be loaded.
    _meta: {
      "anthropic/alwaysLoad": true,
      "anthropic/searchHint":
        "ADR, architecture decision records, which ADR covers this file, project rules for a file, rules that apply before an edit, " +
        "coding standards, coding guidelines, standards for this file, team conventions, policies that apply to these files, patterns " +
        "and guidelines for a path, constraints on code, forbidden imports, dependencies, best practices, style guide, decision log, " +
        "directory, folder, what I must not do in a module, check before editing or changing code",
    },
    inputSchema: {
      type: "object",
      properties: {
        paths: {
          type: "array",
          items: { type: "string", maxLength: 1000 },
          minItems: 1,
          maxItems: MAX_PATHS,
          description: "From the repository root",
        },
        text: string("New text to check"),
        cursor: string("nextCursor"),
        hook: { type: "string", maxLength: 200, description: "For hooks" },
      },
      required: ["paths"],
    },
    checkOutput: false,
    outputSchema: objectOf("documents omitted", {
      documents: listOf(objectOf("uri title matched paths", {
        uri: string(),
        title: string(),
        status: string(),
        notice: string(),
        forbids: listOf(string()),
        decision: string(),
        matched: string(),
        paths: listOf(string()),
        morePaths: integer(),
      })),
      omitted: integer(),
      breaks: listOf(string()),
      guessed: listOf({ type: "object" }),
      nextCursor: string(),
    }),
    async run({ paths: given, text: whole, cursor, hook }, view, { signal, timeoutMs }) {
      const after = whole?.slice(0, MAX_EDIT), isCut = after !== whole;
      // A hook of Claude Code fills in "" for a member that its tool call does not have.
      const paths = given.filter((path) => path !== "");
      const rest = () => nextTurn().then(() => signal.throwIfAborted());
      const { found, files } = await inSlices(findApplying(view.catalogue, paths, after), rest);
      if (after && !hook && files[0] && !found.some(({ document }) => isTold(document))) {
        const code = { file: files[0].file, text: after };
        const guess = await guessDocument(documents, view.catalogue, code, { signal, timeoutMs });
        if (guess) found.push({ ...guess, place: `2 ${guess.document.key}`, paths });
      }
      const summarize = summarizer(view.store, view.catalogue, ({ key }) => toUri(key, view.store.scheme));
      const show = ({ document, matched, paths }: Applying) => {
        const { forbids, decision: text } = summarize(document), notice = noticeOf(view, document);
        const decision = isOver(document) || text === "" ? undefined : cutMarkdown(text, MAX_DECISION);
        const { first, more, list } = shortList(paths);
        const data = { notice, forbids, decision, matched, paths: first, morePaths: more };
        const forbidden = forbids.length > 0 ? ["Forbidden:", ...forbids].join("\n  - ") : undefined;
        const indented = decision?.trimEnd().replaceAll("\n", "\n  ");
        return showDocument(view, document, data, `for ${list} (${matched})`, notice, forbidden, indented);
      };
      const list = ["decisions_for", textHash(JSON.stringify([paths, after]))] as const;
      const { text, ...value } = showPage(list, cursor, found, ({ place }) => place, show, ANSWER_BUDGET);
      const guessed = files.flatMap(({ path, file, isGuess }) => isGuess ? { path, as: file } : []);
      // The text may be a part of the file, so what it lacks is not reported.
      const edits = !after ? [] : files.map(({ file }) => ({ file, after, before: "" }));
      const all = await inSlices(editBreaks(view.store, view.catalogue, edits), rest);
      const breaks = all.slice(0, MAX_BREAKS).map(({ text }) => text);
      const broken = [
        ...breaks.length === 0 ? [] : ["The text breaks decisions:", ...breaks.map((one) => `- ${one}`), ""],
        ...isCut ? [`Only the first ${MAX_EDIT} characters of the text were checked.`, ""] : [],
      ];
      const orNone = <T>(list: readonly T[]) => list.length > 0 ? list : undefined;
      const data = { value: compact({ ...value, breaks: orNone(breaks), guessed: orNone(guessed) }) };
      if (hook) {
        const summaries = found.flatMap(({ document }) => isTold(document) ? summarize(document) : []);
        return new ToolResult([hookAnswer(summaries, toldIn(sessions, hook), broken)], data);
      }
      const none = "No document says that it applies to these files; search_documents may find some.";
      const texts = [[...broken, text || none].join("\n")];
      if (guessed.length > 0) {
        const guesses = shortList(guessed.map(({ path, as }) => `${path} as ${as}`)).list;
        texts.push(`(Guessed: ${guesses}. Pass paths from the root of the repository to be sure.)`);
      }
      return new ToolResult(texts, data);
    },
  });
}

/** The first of some names, the number of further ones, and both as text: "a, b and 3 more". */
function shortList(names: readonly string[]) {
  const first = fitting(names, PATHS_BUDGET, ({ length }) => length);
  const more = names.length - first.length || undefined;
  return { first, more, list: first.join(", ") + (more ? ` and ${more} more` : "") };
}

/** What a session was told, by the fingerprints of documents. */
function toldIn(sessions: Map<string, Set<number>>, session: string): Set<number> {
  const told = sessions.get(session) ?? new Set();
  sessions.delete(session);
  sessions.set(session, told);
  for (const oldest of sessions.keys()) {
    if (sessions.size <= MAX_SESSIONS) break;
    sessions.delete(oldest);
  }
  return told;
}

/** The output of a hook of Claude Code before an edit, in JSON. */
function hookAnswer(summaries: readonly Summary[], told: Set<number>, broken: readonly string[]): string {
  if (summaries.length + broken.length === 0) return "{}";
  const isKnown = ({ document }: Summary) => told.has(document.fingerprint);
  const { text: additionalContext, inFull } = guidance(summaries, GUIDANCE_TOKENS, isKnown, broken);
  if (told.size > MAX_TOLD) told.clear();
  for (const { document } of inFull) told.add(document.fingerprint);
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext } });
}
