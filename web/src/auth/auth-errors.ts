// Sentences for what goes wrong while signing in, registering or changing an account.
import { RequestError } from '../api/service-error.ts';

const BY_CODE: Readonly<Record<string, string>> = {
  invalid_credentials: 'The e-mail address or password is incorrect.',
  email_already_exists: 'There is already an account with this e-mail address. Sign in instead.',
  registration_disabled: 'Registration is closed. Ask the administrator for an account.',
};

/** A sentence for a person; for a lock, with the time that is left. */
export function authErrorText(error: Error, overrides: Readonly<Record<string, string>> = {}): string {
  if (!(error instanceof RequestError)) return error.message;
  if (error.status === 429) return lockedText(error.retryAfterSeconds);
  return overrides[error.code] ?? BY_CODE[error.code] ?? error.message;
}

export function lockedText(seconds: number | undefined): string {
  if (seconds === undefined) return 'Too many failed attempts. Wait a few minutes, then try again.';
  return `Too many failed attempts. Try again in ${durationText(seconds)}.`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} minutes`;
}
