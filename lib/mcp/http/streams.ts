/** The open event streams of an endpoint. */

import type { Authenticate } from "./authentication.ts";
import type { HttpHandlerOptions } from "./options.ts";
import { Replays } from "./replay.ts";
import { Ticker } from "./ticker.ts";

/** A response whose stream is open. */
interface OpenStream {
  /** Called at the interval of keep-alives. */
  keepAlive(): void;
  /** Ends it at once; unsent bytes are lost. */
  cut(): void;
}

export class Streams {
  /** The requests with an open stream; each is sent keep-alive comments. */
  readonly open: Ticker<OpenStream>;
  readonly keepAliveMs: number;
  readonly replays: Replays;
  readonly metadataUrl: string | undefined;
  readonly authenticate: Authenticate | undefined;

  constructor(options: HttpHandlerOptions, metadataUrl: string | undefined) {
    const { keepAliveMs = 15_000, retentionMs = 60_000, authenticate } = options;
    this.open = new Ticker(keepAliveMs, (request) => request.keepAlive());
    this.keepAliveMs = keepAliveMs;
    this.replays = new Replays(retentionMs);
    this.authenticate = authenticate;
    this.metadataUrl = metadataUrl;
  }

  close(): void {
    for (const stream of this.replays.byKey.values()) stream.drop();
    for (const request of this.open.items.keys()) request.cut();
    this.open.stop();
  }
}
