/** The command inspect: a client on the command line for any MCP server, for people and for scripts. */

import type { Client, Era, Progress } from "../mcp/client/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { asObject, compact, visibleJson } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { connect } from "../mcp/client/connect.ts";
import { ProtocolError } from "../mcp/client/errors.ts";
import { listText, resultText } from "./answer_text.ts";
import { connectable, note } from "./inspect_connection.ts";
import { listAll, messageOf, readTarget, toAction } from "./inspect_words.ts";
import { toJsonText } from "./io.ts";
import { VERSION } from "./this_copy.ts";

/** Maximum size of a list, in UTF-16 units. All lists are kept until they are printed. */
const MAX_LIST_SIZE = 16 * 1024 * 1024;

/** Runs the command; the exit code is 1 when the server cannot be reached, makes a mistake, or answers with an error. */
export async function inspect(platform: Platform, options: Options): Promise<number> {
  const { target, words } = readTarget(options);
  const action = toAction(words);
  const asJson = options.has("json") || options.get("format") === "json";
  let client: Client | undefined;
  const warned = new Set<string>();
  try {
    const start = performance.now();
    const timeoutMs = options.get<number>("timeout");
    client = await connect(await connectable(platform, options, target), {
      info: { name: "architrave", title: "Architrave", version: VERSION },
      ...compact({ era: options.get<Era>("era"), timeoutMs, connectTimeoutMs: timeoutMs }),
      maxListSize: MAX_LIST_SIZE,
      onwarning: (message) => {
        // A program that speaks something else would repeat it for each of its lines.
        if (!warned.has(message)) note(platform, `architrave: ${message}`);
        if (warned.size < MAX_WARNED) warned.add(message);
      },
      onlog: ({ level, data }) =>
        note(platform, `${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`),
    });
    const { era, version, server: { info: server, capabilities, instructions } } = client;
    const summary = { server, era, version, capabilities, instructions, connectMs: msSince(start) };
    const name = [server["name"] ?? "a server without a name", server["version"]].filter(Boolean).join(" ");
    const heading = printable(`${name}: revision ${version} (${era}), connected in ${summary.connectMs} ms`);
    if (!action) return await watch(platform, client, words.slice(1), asJson ? summary : heading);
    const sentAt = performance.now();
    const onprogress = ({ progress, total, message }: Progress) => {
      const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
      note(platform, message === undefined ? share : `${share}: ${message}`);
    };
    let error: string | undefined;
    const result = await action(client, asJson ? {} : { onprogress }).catch((cause) => {
      if (!(cause instanceof ProtocolError) || !cause.result) throw cause;
      error = cause.message;
      return cause.result;
    });
    const answerMs = msSince(sentAt), isList = action === listAll;
    const { errors = {}, ...lists } = isList ? result : {};
    if (asJson) {
      const answer = isList ? result : compact({ result, error });
      platform.print("output", toJsonText({ ...summary, answerMs, ...answer }));
    } else {
      const done = isList ? "listed" : "answered";
      // Results go into files and pipes without the heading.
      platform.print(isList ? "output" : "error", `${heading}; ${done} in ${answerMs} ms\n`);
      // A result without the required form is shown as it came.
      const toText = error === undefined ? resultText : toJsonText;
      platform.print("output", isList ? listText(capabilities, instructions, lists) : toText(result));
    }
    if (error !== undefined) note(platform, `architrave: ${error}`);
    const failed = Object.entries(asObject(errors));
    for (const [name, message] of failed) note(platform, `architrave: Cannot list ${name}: ${message}`);
    return result["isError"] === true || error !== undefined || failed.length > 0 ? 1 : 0;
  } catch (cause) {
    const message = messageOf(cause);
    const isOther = OTHER_SERVER.test(message) &&
      !/needs other credentials|the status 50[0234]/.test(message);
    const way = /^Cannot reach.*(?:closed|reset|hang up)/s.test(message)
      ? "; use --era legacy if the server drops server/discover alone"
      : message.startsWith("Cannot reach")
      ? "; check the address, and that the server runs"
      : message.endsWith("needs other credentials") && !options.has("login")
      ? ": sign in with --login, use --era legacy if it refuses server/discover alone, or send a token with --token-file"
      : isOther
      ? `; it may not speak MCP: check the ${typeof target === "string" ? "address" : "command"}`
      : "";
    note(
      platform,
      `architrave: ${isOther && /<(?:!doctype )?html/i.test(message) ? brief(message) : message}${way}`,
    );
    return 1;
  } finally {
    await client?.close();
  }
}

/** Prints changes until the server or a signal ends the stream; as JSON if `summary` is an object. */
async function watch(platform: Platform, client: Client, uris: readonly string[], summary: string | object) {
  const changes = await client.listen({ tools: true, prompts: true, resources: true, uris });
  platform.onInterrupt(() => changes.close());
  const { served } = changes;
  const asJson = typeof summary === "object";
  if (asJson) platform.print("output", `${visibleJson({ ...summary, served })}\n`);
  else {
    const { uris: watched, ...lists } = served;
    const what = [...Object.entries(lists).flatMap(([name, isServed]) => isServed ? name : []), ...watched];
    const watching = `Watching: ${what.join(", ")}. Press Ctrl-C to end it.`;
    note(platform, summary);
    note(platform, what.length > 0 ? watching : "The server reports no changes.");
  }
  for await (const event of changes) {
    const time = new Date().toISOString();
    const change = event.type === "resource" ? printable(event.uri) : `the list of ${event.type}`;
    const line = asJson ? visibleJson({ time, ...event }) : `${time}  changed: ${change}`;
    platform.print("output", `${line}\n`);
  }
  return 0;
}

/** Maximum number of warnings that are remembered, so that each is written once. */
const MAX_WARNED = 100;

/** The start of errors about a server that does not speak MCP. */
const OTHER_SERVER =
  /^Cannot (?:agree on a revision: The (?:server answered|response to) |connect: The connection ended)/;

/** A message without HTML tags. An answer that both eras got is said once. */
function brief(message: string): string {
  return message.replace(/<[^<>]*>|\s+/g, " ").replace(/ {2,}/g, " ")
    .replace(/^(.*? )initialize( .*?) \(server\/discover failed with: .*\2 ?\)$/, "$1initialize$2").trim();
}

const msSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;
