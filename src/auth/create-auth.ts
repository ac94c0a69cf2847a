// Assembles authentication for the service.
import { hkdfSync, randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import type { AuthOptions } from './auth-options.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { type ClientAddresses, createClientAddresses } from './client-ip.ts';
import { type ConfigurationSections, recordConfiguration } from './configuration-changes.ts';
import { type ConfirmPassword, createConfirmPassword } from './confirm-password.ts';
import { type Credentials, createCredentials } from './credentials.ts';
import { createDeleteAccount, type DeleteAccount } from './delete-account.ts';
import { createInitialCredentials } from './initial-credentials.ts';
import { loadJwtSecret } from './jwt-secret.ts';
import { createLoginLimiter } from './login-limiter.ts';
import { createPasswords } from './passwords.ts';
import { createRegistrationLimiter } from './registration-limiter.ts';
import { createSessionEnds, createSessions, type SessionEnds, type Sessions } from './sessions.ts';
import { createSignIn, createSignOut, type SignIn, type SignOut } from './sign-in.ts';
import { createTokens } from './tokens.ts';

const SECONDS_PER_DAY = 86_400;
const KEY_BYTES = 32;

export interface Auth {
  readonly accounts: Accounts;
  readonly deleteAccount: DeleteAccount;
  readonly confirmPassword: ConfirmPassword;
  readonly sessions: Sessions;
  readonly sessionEnds: SessionEnds;
  readonly apiKeys: ApiKeys;
  readonly credentials: Credentials;
  readonly signIn: SignIn;
  readonly signOut: SignOut;
  readonly clientAddresses: ClientAddresses;
  /** Derives a key for one purpose from the secret of the sessions. Equal secrets give equal keys. */
  readonly keyFor: (purpose: string) => Buffer;
  /**
   * Creates the first administrator, adopts ownerless threads, and records a changed configuration in the
   * audit log. Called once at start.
   */
  bootstrap(): Promise<void>;
  /** Returns the path of the credentials file, or `undefined` if there is none. */
  initialCredentialsPath(): Promise<string | undefined>;
}

export interface AuthDependencies {
  readonly storage: Storage;
  readonly dataHome: string;
  readonly options: AuthOptions;
  /** The configuration of the service, for the audit log. */
  readonly configuration?: ConfigurationSections;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Throws an error with a sentence for the operator when the token secret is unusable. */
export async function createAuth(dependencies: AuthDependencies): Promise<Auth> {
  const { storage, dataHome, options, configuration, log, now = Date.now, newId = randomUUID } = dependencies;
  const { users, audit } = storage;
  const passwords = createPasswords(options.password_hash);
  const initialCredentials = createInitialCredentials(dataHome);
  const secret = await loadJwtSecret({ dataHome, configured: options.jwt_secret });
  const tokens = createTokens({ secret, lifeSeconds: options.session_days * SECONDS_PER_DAY, now });
  const limiter = createLoginLimiter(options.lockout, now);
  const confirmPassword = createConfirmPassword({ passwords, limiter, audit });
  const sessionEnds = createSessionEnds();
  const sessions = createSessions({
    registry: storage.sessions,
    tokens,
    ends: sessionEnds,
    log,
    maxPerUser: options.max_sessions,
    now,
    newId,
  });
  const { max_api_keys: maxPerUser } = options;
  const apiKeys = createApiKeys({ registry: storage.apiKeys, maxPerUser, log, now, newId });
  return {
    accounts: createAccounts({
      users,
      passwords,
      confirmPassword,
      initialCredentials,
      registrationOpen: options.registration,
      sessionEnds,
      registrations: createRegistrationLimiter(options.registrations, now),
      log,
      now,
      newId,
    }),
    deleteAccount: createDeleteAccount({
      removals: storage.accountRemovals,
      confirmPassword,
      initialCredentials,
      sessionEnds,
      log,
      now,
    }),
    confirmPassword,
    sessions,
    sessionEnds,
    signIn: createSignIn({ users, passwords, limiter, audit }),
    signOut: createSignOut({ sessions, audit, log }),
    apiKeys,
    credentials: createCredentials({ sessions, apiKeys }),
    clientAddresses: createClientAddresses(options.trusted_proxies),
    keyFor: (purpose) => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)),
    async bootstrap() {
      await bootstrapAdmin({
        storage,
        passwords,
        initialCredentials,
        email: options.admin_email,
        log,
        now,
        newId,
      });
      if (configuration !== undefined) await recordConfiguration({ audit, sections: configuration, secret });
    },
    async initialCredentialsPath() {
      return (await initialCredentials.read()) === undefined ? undefined : initialCredentials.path;
    },
  };
}
