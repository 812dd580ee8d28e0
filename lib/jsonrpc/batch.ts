/** Batches: several messages in one array, whose responses are sent in one array (JSON-RPC 2.0, section 6). */

import type { Responder } from "./contract.ts";
import type { Response } from "./message.ts";
import type { MessageContext } from "./transport/transport.ts";
import { sizeOf } from "../base/bytes.ts";
import { attempt } from "../base/text.ts";
import { encodeMessage, ErrorCode, failure, REPEATED, repeatsInBatch } from "./message.ts";

/** The maximum number of messages in a batch. */
const MAX_BATCH = 100;
/** The maximum size of the responses to a batch, in bytes. */
const MAX_BATCH_SIZE = 16 * 1024 * 1024;

const TOO_LONG = "The responses to the batch are too long together: send this request by itself";

/** A batch whose messages are being received. */
interface Batch {
  /** The context of each message. Its size is that of the batch, divided by the number of messages. */
  readonly context: MessageContext;
  /** Collects the responses, and sends them together after the last reply. */
  readonly responder: Responder;
}

/** Opens a batch, or returns the reason why it is refused. */
export function openBatch(
  values: readonly unknown[],
  context: MessageContext,
  responder: Responder,
  text?: string,
): Batch | string {
  if (values.length === 0) return "the batch is empty";
  if (values.length > MAX_BATCH) return `the batch has more than ${MAX_BATCH} messages`;
  if (text !== undefined && repeatsInBatch(values, text)) return REPEATED;
  const responses: Response[] = [];
  let unanswered = values.length, size = 0;
  const collecting: Responder = {
    send: (message) => responder.send(message),
    reply: (reply) => {
      const response = reply as Response | undefined;
      // A response that cannot be serialised fails when it is sent.
      if (response) size += attempt(() => sizeOf(encodeMessage(response))) ?? 0;
      const isTooLong = size > MAX_BATCH_SIZE && responses.length > 0;
      const error = { code: ErrorCode.internal, message: TOO_LONG };
      if (response) responses.push(isTooLong ? failure(response.id, error) : response);
      if (--unanswered === 0) responder.reply(responses.length > 0 ? responses : undefined);
    },
    unmatched: responder.unmatched?.bind(responder),
    obstacle: responder.obstacle,
  };
  return { context: { ...context, size: Math.ceil(context.size / values.length) }, responder: collecting };
}
