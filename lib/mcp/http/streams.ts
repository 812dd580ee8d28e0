/** The event streams of an endpoint. */

import type { Authenticate } from "./authentication.ts";
import type { HttpHandlerOptions } from "./options.ts";
import { Replays } from "./replay.ts";
import { Ticker } from "./ticker.ts";

/** A response whose stream is open. */
interface OpenStream {
  /** Called at each interval of keep-alives. */
  keepAlive(): void;
  /** Ends the stream at once and drops unsent bytes. */
  cut(): void;
}

/** The event streams of an endpoint, and what they need of its options. */
export class Streams {
  /** The open streams, which are sent keep-alive comments. */
  readonly open: Ticker<OpenStream>;
  readonly keepAliveMs: number;
  /** The streams that clients can resume. */
  readonly replays: Replays;
  /** The URL of the protected resource metadata. */
  readonly metadataUrl: string | undefined;
  readonly authenticate: Authenticate | undefined;

  constructor(options: HttpHandlerOptions, metadataUrl: string | undefined) {
    const { keepAliveMs = 15_000, retentionMs = 60_000, authenticate } = options;
    this.open = new Ticker(keepAliveMs, (stream) => stream.keepAlive());
    this.keepAliveMs = keepAliveMs;
    this.replays = new Replays(retentionMs);
    this.authenticate = authenticate;
    this.metadataUrl = metadataUrl;
  }

  /** Ends all streams at once. */
  close(): void {
    for (const stream of this.replays.byKey.values()) stream.drop();
    for (const stream of this.open.items.keys()) stream.cut();
    this.open.stop();
  }
}
