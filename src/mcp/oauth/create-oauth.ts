// Combines the accounts of people and of the service at remote tool servers.
import type { Log } from '../../log.ts';
import { resolveBySystem } from '../../network/checked-host.ts';
import type { ServerConfigs } from '../config/server-configs.ts';
import type { ServerAccount } from '../tool-server.ts';
import { createFetchFor } from './authorization-fetch.ts';
import { createFreshTokens } from './fresh-tokens.ts';
import { keepMissingScope, personalTokens } from './personal-tokens.ts';
import { type AccountServer, remoteServer } from './remote-server.ts';
import { createSealedFiles } from './sealed-file.ts';
import { accountRecordSchema, serviceAccountTokens } from './service-account.ts';
import { signInFile, signInRecordSchema } from './sign-in-record.ts';
import { createSignIns, type SignInPlace } from './sign-ins.ts';

export type Oauth = ReturnType<typeof createOauth>;

/** `missing_scope`: signed in, but the server wants more than was requested then. */
export type SignInState = 'signed_in' | 'missing_scope' | 'signed_out' | 'none';

interface OauthParts {
  readonly dataHome: string;
  readonly configs: Pick<ServerConfigs, 'current'>;
  readonly key: Buffer;
  /** Hosts inside the network whose authorization servers may be asked. */
  readonly allowHosts: readonly string[];
  readonly onChange: (place: SignInPlace) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

const DEFAULT_SKEW_SECONDS = 60;

export function createOauth(parts: OauthParts) {
  const { dataHome, configs, key, allowHosts, onChange, log, now } = parts;
  const files = createSealedFiles({ dataHome, key, schema: signInRecordSchema });
  const accounts = createSealedFiles({ dataHome, key, schema: accountRecordSchema });
  const fetchFor = createFetchFor({ allowHosts, resolve: resolveBySystem });
  const providerFor = createFreshTokens({ log, now });
  return {
    signIns: createSignIns({ configs, files, fetchFor, onChange, log, now }),
    /** Returns the account for the library's transports; `undefined` when the server gets only its headers. */
    authOf(userId: string, server: AccountServer): ServerAccount | undefined {
      const remote = remoteServer(server);
      if (remote === undefined) return undefined;
      const { name, url, oauth, isPersonal } = remote;
      const asking = { fetch: fetchFor(remote), now };
      if (isPersonal || oauth === undefined) {
        const skewMs = (oauth?.refresh_skew_seconds ?? DEFAULT_SKEW_SECONDS) * 1_000;
        const tokens = personalTokens(userId, { name, url, skewMs }, { files, ...asking });
        const lacks = (scope: string) => keepMissingScope(userId, remote, { scope, files });
        return { ...providerFor(tokens), lacks };
      }
      const tokens = serviceAccountTokens({ server: name, oauth }, { files: accounts, ...asking });
      // The permissions of the service's account are configured.
      return { ...providerFor(tokens), lacks: async () => {} };
    },
    /** Whether people sign in to the server themselves, or may. */
    isPersonal: (server: AccountServer): boolean => remoteServer(server)?.isPersonal === true,
    /** Returns `none` when people do not sign in to this server themselves. */
    async signInOf(userId: string, server: AccountServer): Promise<SignInState> {
      const remote = remoteServer(server);
      if (remote?.isPersonal !== true) return 'none';
      const record = await files.read(signInFile(userId, remote.name));
      if (record?.url !== remote.url || record.tokens === undefined) return 'signed_out';
      return record.missingScope === undefined ? 'signed_in' : 'missing_scope';
    },
  };
}
