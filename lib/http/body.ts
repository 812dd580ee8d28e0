/** What does the body of a POST say? One message, or a batch of them; anything else is refused with the reason. */

import type { Failure, Message } from "../jsonrpc/message.ts";
import type { HttpExchange } from "../platform/http.ts";
import type { Session } from "../server/session.ts";
import type { FullOptions } from "./options.ts";
import type { Patience } from "./patience.ts";
import {
  ErrorCode,
  failure,
  MalformedMessageError,
  parseJson,
  readMessage,
  toErrorObject,
} from "../jsonrpc/message.ts";
import { Refusal } from "./refusal.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });
/** The most messages in one batch: its answers are held until the last one is there. */
const MAX_BATCH = 100;

/**
 * Reads the body; undefined when it is too long.
 *
 * @throws {Refusal} 408 when it takes too long, 400 when it breaks off.
 */
export function readBody(
  exchange: HttpExchange,
  { maxBodyBytes, bodyTimeoutMs }: FullOptions,
  patience: Patience,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const waiting = {
      waited(ms: number): void {
        if (ms < bodyTimeoutMs) return;
        patience.delete(waiting);
        reject(new Refusal(408, "The body took too long to arrive", { fields: { connection: "close" } }));
      },
    };
    patience.add(waiting);
    exchange.readBody(maxBodyBytes).then((bytes) => {
      patience.delete(waiting);
      resolve(bytes);
    }, () => {
      patience.delete(waiting);
      reject(new Refusal(400, "The body broke off"));
    });
  });
}

/**
 * Reads a body as JSON.
 *
 * @throws {Refusal} 413 when it was too long, 400 when it is no JSON.
 */
export function toJson(bytes: Uint8Array | undefined, { maxBodyBytes }: FullOptions): unknown {
  if (!bytes) {
    throw new Refusal(413, `The body is longer than ${maxBodyBytes} bytes`, {
      fields: { connection: "close" },
    });
  }
  try {
    return parseJson(decoder.decode(bytes));
  } catch (cause) {
    // Over other carriers it is a line.
    const isText = cause instanceof MalformedMessageError;
    throw new Refusal(400, `Parse error: the body is not valid ${isText ? "JSON" : "UTF-8"}`, {
      code: ErrorCode.parse,
    });
  }
}

/**
 * Checks that a value is one message.
 *
 * @throws {Refusal} 400 when it is none.
 */
export function readOne(value: unknown): Message {
  try {
    return readMessage(value);
  } catch (cause) {
    if (cause instanceof MalformedMessageError) throw malformed(cause);
    throw cause;
  }
}

/** One of a batch: a message, or why it is none. */
export type OneOfBatch =
  | { readonly message: Message; readonly refusal?: undefined }
  | { readonly message?: undefined; readonly refusal: Failure };

/**
 * Checks the messages of a batch one by one.
 *
 * @throws {Refusal} 400 when the batch itself is refused.
 */
export function readBatch(values: readonly unknown[], { negotiated: agreed }: Session): OneOfBatch[] {
  const id = agreed?.revision.unreadableId;
  const refuse = (reason: string) => new Refusal(400, `Invalid request: ${reason}`, { id });
  if (!agreed?.revision.batches) throw refuse("a batch is not served in this revision of the protocol");
  if (values.length === 0) throw refuse("the batch is empty");
  if (values.length > MAX_BATCH) throw refuse(`the batch has more than ${MAX_BATCH} messages`);
  return values.map((value) => {
    try {
      return { message: readMessage(value) };
    } catch (cause) {
      if (!(cause instanceof MalformedMessageError)) throw cause;
      return { refusal: failure(cause.id ?? id, toErrorObject(cause)) };
    }
  });
}

function malformed({ code, message, id }: MalformedMessageError): Refusal {
  return new Refusal(400, message, { code, id });
}
