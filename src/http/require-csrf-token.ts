// Double submit: what a client sends beside its cookies must be what is in the CSRF cookie.
import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { AppContext } from './context.ts';
import { csrfToken } from './session-cookies.ts';

/** Throws `forbidden` when the token or its cookie is missing or they differ; takes the same time for any difference. Requests with an API key need none. */
export function requireCsrfToken(c: AppContext, token: string | undefined): void {
  // No page of another site can send an API key.
  if (c.var.credential?.kind === 'api_key') return;
  const cookie = csrfToken(c) ?? '';
  if (cookie === '' || token === undefined || token === '') {
    throw new ServiceError('forbidden', 'CSRF token missing');
  }
  if (!timingSafeEqual(digest(cookie), digest(token))) {
    throw new ServiceError('forbidden', 'CSRF token mismatch');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
