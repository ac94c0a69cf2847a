// What a request shows to say whose it is: the token of a session, or an API key.
import type { UserRecord } from '../storage/users.ts';
import type { ApiKeys } from './api-keys.ts';
import type { OwnSession, Sessions } from './sessions.ts';

/** A session that somebody is signed in with. */
export interface SessionCredential extends OwnSession {
  readonly kind: 'session';
  readonly token: string;
  readonly userId: string;
}

/** `token` is the session's token, or the hash of the key: a name for either that outlives the request. */
export type Credential =
  | SessionCredential
  | { readonly kind: 'api_key'; readonly token: string; readonly keyId: string; readonly mayWrite: boolean };

/** What a client sent; a key counts, whatever else comes with it. */
export interface Presented {
  readonly sessionToken: string | undefined;
  readonly apiKey: string | undefined;
  /** Where it came from. */
  readonly clientIp?: string;
}

export interface Credentials {
  /** Throws one of the four 401 codes (docs/contract/authentication.md#who-is-asking). */
  authenticate(presented: Presented): Promise<{ readonly user: UserRecord; readonly credential: Credential }>;
  /** Those that `authenticate` would refuse by now. */
  ended(credentials: readonly Credential[]): Promise<readonly Credential[]>;
}

interface CredentialParts {
  readonly sessions: Pick<Sessions, 'authenticate' | 'ended'>;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'ended'>;
}

/** Keys that are looked up in one statement. */
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
