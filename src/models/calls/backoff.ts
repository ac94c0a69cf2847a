// How long to wait before a request is sent again.

export interface BackoffOptions {
  /** All attempts, the first one included. */
  readonly attempts: number;
  readonly baseMs: number;
  /** The longest wait of our own choice. */
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
 * Milliseconds before the attempt after number `attempt`. What the provider asks for counts; else the wait doubles each
 * time, with half of it left to chance, so that many callers do not come back at once. `random` is in [0, 1).
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

/** Milliseconds of a `Retry-After` header (seconds or an HTTP date) or its precise cousin in milliseconds. */
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
