// What the server offers with a request that may be answered for long.
import type { LiveBody } from './live-body.ts';

export interface LiveOffer {
  /** What a route puts here is written behind the head of its answer. */
  body: LiveBody | undefined;
}
