// The refusal of a command: a response of the protocol, not of HTTP.
import { ServiceError } from '../../errors.ts';

/** The protocol's closed list of errors. */
export type ProtocolErrorCode =
  | 'invalid_argument'
  | 'unknown_command'
  | 'unknown_error'
  | 'no_such_run'
  | 'no_such_subscription'
  | 'no_such_namespace'
  | 'no_such_interrupt'
  | 'permission_denied'
  | 'not_supported';

/** `message` is a sentence for the developer of the client. */
export class ProtocolRefusal extends Error {
  override readonly name = 'ProtocolRefusal';
  readonly code: ProtocolErrorCode;

  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Converts an error to a refusal. Returns `undefined` for an error that is not about the command. */
export function toRefusal(error: unknown): ProtocolRefusal | undefined {
  if (error instanceof ProtocolRefusal) return error;
  if (!(error instanceof ServiceError)) return undefined;
  switch (error.code) {
    case 'validation_failed': {
      const [issue] = error.issues ?? [];
      const where = issue === undefined ? '' : `${issue.loc.filter((part) => part !== 'body').join('.')}: `;
      return new ProtocolRefusal('invalid_argument', `${where}${issue?.msg ?? error.detail}`);
    }
    case 'invalid':
    case 'conflict':
      return new ProtocolRefusal('invalid_argument', error.detail);
    default:
      return undefined;
  }
}

export function errorText(id: number | null, { code, message }: ProtocolRefusal): string {
  return JSON.stringify({ type: 'error', id, error: code, message });
}
