// Converts errors of the library and the network to `ServerFailure`.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import {
  ResponseTooLarge,
  ServerFailure,
  SessionLost,
  TOO_LARGE,
  TOO_LARGE_CODE,
} from '../server-failure.ts';
import { withoutHidden, withoutSecrets } from '../server-words.ts';
import type { ToolServer } from '../tool-server.ts';

export interface Occasion {
  readonly server: Pick<ToolServer, 'name' | 'entry'>;
  readonly doing: 'connecting' | 'calling';
  readonly inSession?: boolean;
  /** Why the server's program ended, as a clause. */
  readonly reason?: string | undefined;
  /** For administrators only. */
  readonly details?: string;
}

const MESSAGE_CHARACTERS = 2_000;
const NOT_ALLOWED = new Set([401, 403]);
const NOT_FOUND = 404;
const MOST_CAUSES = 5;

/** Converts an error. A `ServerFailure` is returned as it is. */
export function failureOf(error: unknown, occasion: Occasion): ServerFailure {
  if (error instanceof ServerFailure) return error;
  const { server, reason, details } = occasion;
  const failure = (kind: ServerFailure['kind'], message: string) => new ServerFailure(kind, message, details);
  const name = `The tool server '${server.name}'`;
  if (isTooLarge(error)) return failure('too_large', `${name}: ${TOO_LARGE}`);
  const wanted = wantedOfAccount(error);
  if (wanted !== undefined) return failure('needs_sign_in', `${name} ${wanted}`);
  if (ProtocolError.isInstance(error)) {
    // Masked before it is cut, so that no half of a secret is left at the edge.
    const said = withoutSecrets(withoutHidden(error.message), server).slice(0, MESSAGE_CHARACTERS);
    return error.code === TOO_LARGE_CODE
      ? failure('too_large', `${name}: ${said}`)
      : failure('refused', said);
  }
  if (reason !== undefined) return failure('unreachable', `${name} does not run: ${reason}.`);
  if (SdkHttpError.isInstance(error)) {
    const said = `${name} answered with status ${error.status}.`;
    const isLost = error.status === NOT_FOUND && occasion.inSession === true;
    return isLost ? new SessionLost(said) : failure('unreachable', said);
  }
  return isSdkError(error, SdkErrorCode.RequestTimeout)
    ? failure('timeout', `${name} did not answer in time.`)
    : failure('unreachable', `${name} ${brokeOff(error, occasion)}.`);
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return SdkError.isInstance(error) && error.code === code;
}

function brokeOff(error: unknown, { doing }: Occasion): string {
  return doing === 'calling' || isSdkError(error, SdkErrorCode.ConnectionClosed)
    ? 'broke off'
    : 'cannot be reached';
}

/** Searches the causes: the library and the network wrap the error with which a body failed. */
function isTooLarge(error: unknown): boolean {
  let it = error;
  for (let level = 0; level < MOST_CAUSES && it instanceof Error; level += 1) {
    if (it instanceof ResponseTooLarge) return true;
    it = it.cause;
  }
  return false;
}

function wantedOfAccount(error: unknown): string | undefined {
  if (InsufficientScopeError.isInstance(error))
    return 'needs more permissions than the account has. The person must sign in to it again, or an administrator must set oauth.scope.';
  const isRefused =
    UnauthorizedError.isInstance(error) || (SdkHttpError.isInstance(error) && NOT_ALLOWED.has(error.status));
  return isRefused ? 'needs the person to sign in to it.' : undefined;
}
