// The words of a failure without anything that must not be seen.
import type { ProviderOptions } from '../provider-options.ts';

const LIMIT = 300;

const SECRETS: readonly RegExp[] = [
  /\bbearer\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|key|api[-_]?key)[-_=:]\s*["']?[A-Za-z0-9_*.-]{4,}/gi,
  /\bAIza[A-Za-z0-9_-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\S*/g,
  /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/\S+/gi,
];

/** At most 300 characters; the entry's own key and headers, what looks like a key, and addresses become `***`. */
export function scrubbed(text: string, entry: Pick<ProviderOptions, 'api_key' | 'headers'>): string {
  const own = [entry.api_key ?? '', ...Object.values(entry.headers ?? {})].filter(
    (secret) => secret.length >= 4,
  );
  const withoutOwn = own.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  const clean = SECRETS.reduce((rest, pattern) => rest.replace(pattern, '***'), withoutOwn);
  return clean.replace(/\s+/g, ' ').slice(0, LIMIT);
}
