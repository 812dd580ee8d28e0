/** A pair of transports within one process. */

import type { ByteChannel, ByteEvents } from "../../platform/platform.ts";
import type { Transport } from "./transport.ts";
import { StreamTransport } from "./stream.ts";

/**
 * Makes two transports. Each delivers what the other one sends. Messages are serialised and parsed, so the two sides share no
 * objects. A message that is sent before the other side has started is delivered when it starts.
 */
export function memoryTransports(): [Transport, Transport] {
  const left = Promise.withResolvers<ByteEvents>(), right = Promise.withResolvers<ByteEvents>();
  return [endOf(left, right), endOf(right, left)];
}

function endOf(own: PromiseWithResolvers<ByteEvents>, other: PromiseWithResolvers<ByteEvents>): Transport {
  const channel: ByteChannel = {
    open: own.resolve,
    // The transport buffers what it cannot deliver yet.
    pause() {},
    resume() {},
    write(pieces) {
      const chunks = pieces.map((piece) => piece.slice());
      void other.promise.then((events) => chunks.forEach((chunk) => events.data(chunk)));
      return Promise.resolve();
    },
    close: () => void other.promise.then((events) => events.end()),
  };
  return new StreamTransport(channel, { maxLineBytes: Infinity });
}
