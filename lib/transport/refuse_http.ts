/**
 * Is it a browser that has connected? A web page can make one send requests to any port of its own machine, and a line of
 * such a request may be a message: so a connection that begins as HTTP does is refused as a whole.
 */

import type { ByteChannel, ByteEvents } from "../../deps.ts";
import { ErrorCode, RpcError } from "../jsonrpc/error.ts";
import { refusal } from "./refusal.ts";
import { TransportError } from "./transport.ts";

/** How HTTP begins; no JSON does. A page cannot have other methods sent without an OPTIONS before them. */
const METHOD = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE) /;
/** The longest of them, with its blank, in bytes. */
const HEAD_BYTES = 8;

/** The same channel, but for one over which HTTP comes: it is told so, and breaks. */
export function refuseHttp(channel: ByteChannel): ByteChannel {
  return {
    open: (events) => channel.open(watchHead(channel, events)),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    write: (pieces) => channel.write(pieces),
    close: () => channel.close(),
  };
}

function watchHead(channel: ByteChannel, events: ByteEvents): ByteEvents {
  let head = "";
  let isHttp = false;
  return {
    data(chunk): void {
      if (isHttp) return;
      if (head.length < HEAD_BYTES) {
        head += String.fromCharCode(...chunk.subarray(0, HEAD_BYTES - head.length));
        isHttp = METHOD.test(head);
        if (isHttp) return void refuse(channel, events);
      }
      events.data(chunk);
    },
    end: () => {
      if (!isHttp) events.end();
    },
    error: (cause) => events.error(cause),
  };
}

async function refuse(channel: ByteChannel, events: ByteEvents): Promise<void> {
  const reason = "Invalid request: one JSON-RPC message a line is spoken here, and not HTTP";
  try {
    await channel.write([refusal(new RpcError(ErrorCode.invalidRequest, reason))]);
    events.error(new TransportError("The other side speaks HTTP; its connection was refused"));
  } catch (cause) {
    events.error(cause);
  }
}
