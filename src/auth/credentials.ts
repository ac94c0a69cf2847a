// The credential of a request: a session token or an API key.
import type { UserRecord } from '../storage/users.ts';
import type { ApiKeys } from './api-keys.ts';
import type { OwnSession, Sessions } from './sessions.ts';

/** A session with a signed-in user. */
export interface SessionCredential extends OwnSession {
  readonly kind: 'session';
  readonly token: string;
  readonly userId: string;
}

/** `token` is the session's token or the hash of the key. It identifies either beyond the request. */
export type Credential =
  | SessionCredential
  | { readonly kind: 'api_key'; readonly token: string; readonly keyId: string; readonly mayWrite: boolean };

/** The credentials that a client sent. An API key takes precedence over everything else. */
export interface Presented {
  readonly sessionToken: string | undefined;
  readonly apiKey: string | undefined;
  /** The address of the client. */
  readonly clientIp?: string;
}

export interface Credentials {
  /**
   * Authenticates a request. Throws one of the four 401 codes
   * (docs/contract/authentication.md#who-is-asking).
   */
  authenticate(presented: Presented): Promise<{ readonly user: UserRecord; readonly credential: Credential }>;
  /** Returns the credentials that `authenticate` would now refuse. */
  ended(credentials: readonly Credential[]): Promise<readonly Credential[]>;
}

interface CredentialParts {
  readonly sessions: Pick<Sessions, 'authenticate' | 'ended'>;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'ended'>;
}

/** Maximum number of keys to look up in one statement. */
const AT_ONCE = 500;

export function createCredentials({ sessions, apiKeys }: CredentialParts): Credentials {
  return {
    async authenticate({ sessionToken, apiKey, clientIp }) {
      if (apiKey === undefined) {
        const { user, session } = await sessions.authenticate(sessionToken);
        const token = sessionToken ?? '';
        return { user, credential: { kind: 'session', token, userId: user.id, ...session } };
      }
      const { user, hash, keyId, mayWrite } = await apiKeys.authenticate(apiKey, clientIp);
      return { user, credential: { kind: 'api_key', token: hash, keyId, mayWrite } };
    },
    async ended(credentials) {
      const tokensOf = (kind: Credential['kind']) =>
        credentials.filter((it) => it.kind === kind).map(({ token }) => token);
      const over = new Set(await sessions.ended(tokensOf('session')));
      const hashes = tokensOf('api_key');
      for (let first = 0; first < hashes.length; first += AT_ONCE) {
        for (const hash of await apiKeys.ended(hashes.slice(first, first + AT_ONCE))) over.add(hash);
      }
      return credentials.filter(({ token }) => over.has(token));
    },
  };
}
