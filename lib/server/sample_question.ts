/**
 * How is a client's model asked? In the words of each revision, with what the client has said its model can take.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */

import type { Sample, SampleContent, SampleMessage, SampleRequest } from "./asking.ts";
import type { Audience, Question } from "./question.ts";
import type { Revision } from "../protocol/revisions.ts";
import { isObject, own } from "../base/json.ts";
import { nonsense } from "./question.ts";
import { MissingCapabilityError, UnansweredError } from "./unanswered.ts";

/** Asks the client's model. */
export function sampleQuestion(request: SampleRequest, { revision, client }: Audience): Question<Sample> {
  const { key, messages, includeContext, ...rest } = request;
  checkMessages(messages);
  const declared = own(client.capabilities, "sampling");
  if (!isObject(declared)) throw new MissingCapabilityError({ sampling: {} }, revision);
  const usesTools = rest.tools !== undefined || rest.toolChoice !== undefined || messages.some(hasTools);
  if (usesTools && !("tools" in declared && revision.samplingTools)) {
    throw new MissingCapabilityError({ sampling: { tools: {} } }, revision);
  }
  // Since 2025-11-25 a client must have said that it can do that; it may leave it out as it likes.
  const hasContext = includeContext !== undefined && (!revision.samplingTools || "context" in declared);
  return {
    kind: "sampling",
    key,
    method: "sampling/createMessage",
    params: {
      messages: messages.flatMap((message) => inTermsOf(revision, message)),
      ...rest,
      ...(hasContext ? { includeContext } : {}),
    },
    read: (answer) => readSample(answer, revision),
  };
}

/** A message in the words of a revision: those without several blocks get one message for each. */
function inTermsOf(revision: Revision, { role, content }: SampleMessage): readonly SampleMessage[] {
  const blocks = blocksOf(content);
  if (!revision.audio && blocks.some(({ type }) => type === "audio")) {
    throw new UnansweredError("The client's revision of the protocol has no sounds");
  }
  if (revision.samplingTools) return [{ role, content }];
  return blocks.map((block) => ({ role, content: block }));
}

/**
 * Refuses what models refuse: results of tools beside other things, and uses of tools without results.
 *
 * @throws {TypeError} When the messages are such.
 */
function checkMessages(messages: readonly SampleMessage[]): void {
  let owed: readonly string[] = [];
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => block.type === "tool_result" ? [block.toolUseId] : []);
    if (results.length > 0 && (role !== "user" || results.length < blocks.length)) {
      throw unusable("results of tools stand alone, in a message of the user");
    }
    if (results.toSorted().join("\n") !== owed.toSorted().join("\n")) {
      throw unusable("each use of a tool is followed by its result, and each result follows its use");
    }
    owed = blocks.flatMap((block) => block.type === "tool_use" ? [block.id] : []);
  }
  if (owed.length > 0) throw unusable("each use of a tool is followed by its result");
}

function unusable(reason: string): TypeError {
  return new TypeError(`Cannot ask a model with these messages: ${reason}`);
}

function hasTools({ content }: SampleMessage): boolean {
  return blocksOf(content).some(({ type }) => type === "tool_use" || type === "tool_result");
}

function blocksOf(content: SampleMessage["content"]): readonly SampleContent[] {
  return Array.isArray(content) ? content as readonly SampleContent[] : [content as SampleContent];
}

function readSample(answer: unknown, revision: Revision): Sample {
  const given = isObject(answer) ? answer : {};
  const [role, model, stopReason] = [own(given, "role"), own(given, "model"), own(given, "stopReason")];
  const content = blocksOf(own(given, "content") as SampleContent);
  const isSample = (role === "user" || role === "assistant") && typeof model === "string" &&
    content.every(isBlock);
  if (!isSample) throw nonsense("a message of its model, with role, content and model", revision);
  return {
    role,
    content,
    text: content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
    model,
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
  };
}

/** Which members a block has, apart from its type, and of which type they are. */
const BLOCKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  text: { text: "string" },
  image: { data: "string", mimeType: "string" },
  audio: { data: "string", mimeType: "string" },
  tool_use: { id: "string", name: "string", input: "object" },
  tool_result: { toolUseId: "string", content: "object" },
};

function isBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const type = own(block, "type");
  const members = typeof type === "string" && Object.hasOwn(BLOCKS, type) ? BLOCKS[type]! : undefined;
  return members !== undefined &&
    Object.entries(members).every(([name, type]) => typeof block[name] === type && block[name] !== null);
}
