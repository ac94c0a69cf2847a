// How long to wait before a request is sent again.

export interface BackoffOptions {
  /** All attempts, including the first one. */
  readonly attempts: number;
  readonly baseMs: number;
  /** The longest wait that the service itself chooses. */
  readonly capMs: number;
  /** The longest wait that a provider may ask for. */
  readonly retryAfterCapMs: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = {
  attempts: 3,
  baseMs: 1_000,
  capMs: 8_000,
  retryAfterCapMs: 30_000,
};

/**
 * Returns the milliseconds to wait after attempt number `attempt`. A wait that the provider asks for counts.
 * Otherwise the wait doubles each time, and half of it is random, so that many callers do not return
 * together. `random` is in [0, 1).
 */
export function backoffMs(
  attempt: number,
  retryAfterMs: number | undefined,
  { options, random }: { readonly options: BackoffOptions; readonly random: () => number },
): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, options.retryAfterCapMs);
  const whole = Math.min(options.capMs, options.baseMs * 2 ** (attempt - 1));
  return Math.round(whole / 2 + (random() * whole) / 2);
}

/** Returns the milliseconds of a `Retry-After` header (seconds or an HTTP date), or of `retry-after-ms`. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: () => number,
): number | undefined {
  const precise = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(precise) && precise >= 0) return precise;
  const value = headers['retry-after']?.trim() ?? '';
  if (value === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
