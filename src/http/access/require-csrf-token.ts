// Double submit: what a client sends beside its cookies must be what is in the CSRF cookie, and that must be its session's.
import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import { csrfToken } from './session-cookies.ts';

/**
 * Throws `forbidden` when the token or its cookie is missing, when they differ, or when they are not of this session:
 * a cookie that somebody else has put there is of no use. Takes the same time for any difference between tokens of one length. Requests with an API
 * key need none.
 */
export function requireCsrfToken(c: AppContext, token: string | undefined): void {
  const { credential } = c.var;
  // No page of another site can send an API key.
  if (credential?.kind === 'api_key') return;
  const cookie = csrfToken(c, c.var) ?? '';
  if (cookie === '' || token === undefined || token === '') {
    throw new ServiceError('forbidden', 'CSRF token missing');
  }
  const sent = Buffer.from(token);
  const isRepeated = isSame(Buffer.from(cookie), sent);
  const isOwn = isSame(Buffer.from(credential?.csrfToken ?? ''), sent);
  if (!isRepeated || !isOwn) throw new ServiceError('forbidden', 'CSRF token mismatch');
}

/** The length is no secret. */
function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
