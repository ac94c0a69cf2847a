// Puts the parts of authentication together for the service.
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import type { AuthOptions } from './auth-options.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { type ClientAddresses, createClientAddresses } from './client-ip.ts';
import { createInitialCredentials } from './initial-credentials.ts';
import { loadJwtSecret } from './jwt-secret.ts';
import { createLoginLimiter } from './login-limiter.ts';
import { createPasswords } from './passwords.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createTokens } from './tokens.ts';

const SECONDS_PER_DAY = 86_400;

export interface Auth {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly clientAddresses: ClientAddresses;
  /** Creates the first administrator and adopts ownerless threads; called once at start. */
  bootstrap(): Promise<void>;
  /** Where the credentials file is, while it exists. */
  initialCredentialsPath(): Promise<string | undefined>;
}

export interface AuthDependencies {
  readonly storage: Storage;
  readonly dataHome: string;
  readonly options: AuthOptions;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Throws a sentence for the operator when the token secret is unusable. */
export async function createAuth(dependencies: AuthDependencies): Promise<Auth> {
  const { storage, dataHome, options, log, now = Date.now } = dependencies;
  const { users } = storage;
  const time = dependencies.newId === undefined ? { now } : { now, newId: dependencies.newId };
  const passwords = createPasswords(options.password_hash);
  const initialCredentials = createInitialCredentials(dataHome);
  const secret = await loadJwtSecret({ dataHome, configured: options.jwt_secret });
  const tokens = createTokens({ secret, lifeSeconds: options.session_days * SECONDS_PER_DAY, now });
  const limiter = createLoginLimiter(options.lockout, now);
  return {
    accounts: createAccounts({
      users,
      passwords,
      initialCredentials,
      registrationOpen: options.registration,
      log,
      ...time,
    }),
    sessions: createSessions({ users, tokens }),
    signIn: createSignIn({ users, passwords, limiter }),
    clientAddresses: createClientAddresses(options.trusted_proxies),
    bootstrap: () =>
      bootstrapAdmin({ storage, passwords, initialCredentials, email: options.admin_email, log, ...time }),
    async initialCredentialsPath() {
      return (await initialCredentials.read()) === undefined ? undefined : initialCredentials.path;
    },
  };
}
