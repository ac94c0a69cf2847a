// The calls about the account: sign-in, sessions, API keys, export and deletion.
import { type Call, read } from './call.ts';
import { RequestError } from './service-error.ts';
import {
  type ApiKey,
  apiKeyListSchema,
  loginSchema,
  madeKeySchema,
  type Session,
  sessionListSchema,
  setupStatusSchema,
  type User,
  userSchema,
} from './shapes.ts';

export interface SignInForm {
  readonly email: string;
  readonly password: string;
  readonly remember: boolean;
}

export interface NewKeyForm {
  readonly name: string;
  readonly mayWrite: boolean;
  /** Null when the key never expires. */
  readonly expiresAt: Date | null;
}

const AUTH = '/api/v1/auth';
/** The time that a request may take to arrive. */
const ON_ITS_WAY_SECONDS = 5;

export function createAuthCalls(call: Call) {
  return {
    /** Returns the signed-in user. Null without a session. */
    async me(): Promise<User | null> {
      try {
        return await read(await call('GET', `${AUTH}/me`), userSchema);
      } catch (error) {
        if (error instanceof RequestError && error.status === 401) return null;
        throw error;
      }
    },
    setupStatus: async () => read(await call('GET', `${AUTH}/setup-status`), setupStatusSchema),
    signIn: async ({ email, password, remember }: SignInForm) => {
      const form = new URLSearchParams({ username: email, password, remember_me: String(remember) });
      return read(await call('POST', `${AUTH}/login/local`, form), loginSchema);
    },
    register: (form: { readonly email: string; readonly password: string }) =>
      call('POST', `${AUTH}/register`, form),
    /** Creates the first administrator of a service that has none. */
    initialize: (form: { readonly email: string; readonly password: string }) =>
      call('POST', `${AUTH}/initialize`, form),
    signOut: () => call('POST', `${AUTH}/logout`),
    changePassword: (form: {
      readonly current: string;
      readonly next: string;
      readonly email?: string | undefined;
      readonly revokesKeys?: boolean;
    }) =>
      call('POST', `${AUTH}/change-password`, {
        current_password: form.current,
        new_password: form.next,
        ...(form.email === undefined ? {} : { new_email: form.email }),
        ...(form.revokesKeys === true && { revoke_api_keys: true }),
      }),
    changeEmail: (form: { readonly current: string; readonly email: string }) =>
      call('POST', `${AUTH}/change-email`, { current_password: form.current, new_email: form.email }),
    /**
     * Returns the address of the account's export as a zip. Checks the session first, because a person never
     * sees the response of a refused download. Throws `password_required` when the person has to enter the
     * password again.
     */
    accountPackage: async (): Promise<string> => {
      const { sessions } = await read(await call('GET', `${AUTH}/sessions`), sessionListSchema);
      const seconds = sessions.find(({ current }) => current)?.password_confirmed_seconds ?? 0;
      if (seconds > ON_ITS_WAY_SECONDS) return '/api/account/export';
      throw new RequestError(403, 'This needs your password again.', { code: 'password_required' });
    },
    /** The sessions of the account, most recently used first. */
    sessions: async (): Promise<readonly Session[]> =>
      (await read(await call('GET', `${AUTH}/sessions`), sessionListSchema)).sessions,
    endSession: (id: string) => call('DELETE', `${AUTH}/sessions/${encodeURIComponent(id)}`),
    endOtherSessions: () => call('DELETE', `${AUTH}/sessions`),
    /** Confirms the password for the next ten minutes. */
    confirmPassword: (password: string) => call('POST', `${AUTH}/confirm-password`, { password }),
    /** Deletes the account with everything in it and ends all sessions. */
    deleteAccount: (password: string) => call('DELETE', `${AUTH}/me`, { password }),
  };
}

export function createKeyCalls(call: Call) {
  const path = `${AUTH}/api-keys`;
  return {
    apiKeys: async (): Promise<readonly ApiKey[]> =>
      (await read(await call('GET', path), apiKeyListSchema)).api_keys,
    makeApiKey: async ({ name, mayWrite, expiresAt }: NewKeyForm) =>
      read(
        await call('POST', path, {
          name,
          scopes: [mayWrite ? 'write' : 'read'],
          expires_at: expiresAt?.toISOString() ?? null,
        }),
        madeKeySchema,
      ),
    revokeApiKey: (id: string) => call('DELETE', `${path}/${encodeURIComponent(id)}`),
  };
}
