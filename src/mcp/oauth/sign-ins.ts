// How a person signs in to a tool server, and out of it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { conflict, notFound } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ServerConfigs } from '../config/server-configs.ts';
import { serverNameSchema } from '../config/server-entry.ts';
import { AuthorizationServerError, type FetchFor } from './authorization-fetch.ts';
import { type RemoteServer, remoteServer } from './remote-server.ts';
import type { SealedFiles } from './sealed-file.ts';
import { type BegunSignIn, type SignInRecord, signInFile, storedTokens } from './sign-in-record.ts';

interface SignInCallback {
  readonly state: string;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * `expired`: the sign-in was not begun by this person, was begun again since, is finished, or took too long.
 * `denied`: by the person or the server. `other_issuer`: the response is not from the server to which the
 * person was sent.
 */
type SignInFailure = 'expired' | 'denied' | 'other_issuer' | 'refused' | 'unreachable';

type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly server: string }
  | { readonly kind: 'failed'; readonly reason: SignInFailure };

export interface SignInPlace {
  readonly userId: string;
  readonly server: string;
}

interface SignInParts {
  readonly configs: Pick<ServerConfigs, 'current'>;
  readonly files: SealedFiles<SignInRecord>;
  readonly fetchFor: FetchFor;
  /** Called when the person has another account at the server, or none. */
  readonly onChange: (place: SignInPlace) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

const STATE_BYTES = 32;
const BEGUN_MS = 600_000;

/** Loads the flow for the first sign-in, with its library. */
function flow(): Promise<typeof import('./sign-in-flow.ts')> {
  return import('./sign-in-flow.ts');
}

export function createSignIns(parts: SignInParts) {
  const { configs, files, onChange } = parts;
  return {
    /**
     * Returns the address for the browser, which comes back to `redirectUrl`. Throws `not_found`, or `conflict`
     * if there is no sign-in.
     */
    begin: (place: SignInPlace, redirectUrl: string): Promise<URL> => begin(parts, place, redirectUrl),
    /** Finishes a sign-in: once, by the person who began it, within ten minutes. */
    async finish(userId: string, callback: SignInCallback): Promise<SignInOutcome> {
      const outcome = await finish(parts, userId, callback);
      if (outcome.kind === 'signed_in') await onChange({ userId, server: outcome.server });
      return outcome;
    },
    /** Idempotent. Throws `not_found` for an unknown server. */
    async signOut({ userId, server }: SignInPlace): Promise<void> {
      if (!(await configs.current()).has(server)) throw notFound('Tool server');
      await files.update(signInFile(userId, server), () => undefined);
      await onChange({ userId, server });
    },
  };
}

async function begin(parts: SignInParts, { userId, server: name }: SignInPlace, redirectUrl: string) {
  const server = await personalServer(parts, name);
  const at = signInFile(userId, name);
  const fetch = parts.fetchFor(server);
  const { url } = server;
  const before = await parts.files.read(at);
  const { challengeOf, startFlow } = await flow();
  try {
    const { authorizationUrl, begun } = await startFlow(
      server,
      {
        redirectUrl,
        state: `${name}.${randomBytes(STATE_BYTES).toString('base64url')}`,
        registered: before?.url === url ? before.registered : undefined,
        moreScope: before?.url === url ? await moreScope(before) : undefined,
        challenge: await challengeOf(server, fetch),
      },
      fetch,
    );
    await parts.files.update(at, (record) => ({
      ...(record?.url === url ? record : { url }),
      begun: { ...begun, at: parts.now() },
    }));
    return authorizationUrl;
  } catch (error) {
    parts.log.warn({ err: error, server: name }, 'a sign-in to a tool server could not begin');
    throw conflict(`The sign-in to '${name}' cannot begin: ${whyNot(error)}.`);
  }
}

/** Adds the present scopes to the missing ones, because a sign-in replaces the one before. */
async function moreScope({ tokens, missingScope }: SignInRecord): Promise<string | undefined> {
  if (missingScope === undefined) return undefined;
  const { computeScopeUnion } = await import('@modelcontextprotocol/client');
  return computeScopeUnion(tokens?.scope, missingScope);
}

async function personalServer({ configs }: SignInParts, name: string): Promise<RemoteServer> {
  const server = (await configs.current()).get(name);
  if (server === undefined || !server.entry.enabled) throw notFound('Tool server');
  if (server.problem !== undefined) throw conflict(`The tool server '${name}': ${server.problem}`);
  const remote = remoteServer(server);
  if (remote?.isPersonal !== true)
    throw conflict(`The tool server '${name}' is not one that people sign in to.`);
  return remote;
}

function whyNot(error: unknown): string {
  if (error instanceof AuthorizationServerError) return error.message;
  return 'its authorization server lacks PKCE or client registration; an administrator can register the service there and enter its client_id under oauth';
}

async function finish(parts: SignInParts, userId: string, callback: SignInCallback): Promise<SignInOutcome> {
  const name = callback.state.split('.', 1)[0] ?? '';
  if (!serverNameSchema.safeParse(name).success) return failed('expired');
  const taken = await takeBegun(parts, { userId, server: name }, callback.state);
  const server = (await parts.configs.current()).get(name);
  const remote = server === undefined ? undefined : remoteServer(server);
  if (taken === undefined || remote === undefined || taken.url !== remote.url) return failed('expired');
  const { begun, url } = taken;
  const { finishFlow } = await flow();
  if (callback.code === undefined) return failed(callback.error === 'access_denied' ? 'denied' : 'refused');
  try {
    const sent = { code: callback.code, iss: callback.iss, fetch: parts.fetchFor(remote) };
    const { state: _, verifier: __, at: ___, scope, ...registered } = begun;
    const tokens = storedTokens(await finishFlow(remote, begun, sent), { now: parts.now(), scope });
    await parts.files.update(signInFile(userId, name), () => ({ url, registered, tokens }));
    return { kind: 'signed_in', server: name };
  } catch (error) {
    parts.log.warn({ err: error, server: name }, 'a sign-in to a tool server failed');
    return failed(await reasonOf(error));
  }
}

interface TakenSignIn {
  readonly url: string;
  readonly begun: BegunSignIn;
}

/** Takes the sign-in that was begun with the state. It is removed, whatever the outcome. */
async function takeBegun(
  { files, now }: SignInParts,
  { userId, server }: SignInPlace,
  state: string,
): Promise<TakenSignIn | undefined> {
  let taken: TakenSignIn | undefined;
  await files.update(signInFile(userId, server), (record) => {
    if (record?.begun === undefined || !isSame(record.begun.state, state)) return record;
    const { begun, ...rest } = record;
    if (now() - begun.at < BEGUN_MS) taken = { url: record.url, begun };
    return rest;
  });
  return taken;
}

function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function failed(reason: SignInFailure): SignInOutcome {
  return { kind: 'failed', reason };
}

async function reasonOf(error: unknown): Promise<SignInFailure> {
  if (error instanceof AuthorizationServerError) return 'unreachable';
  const { IssuerMismatchError } = await import('@modelcontextprotocol/client');
  return IssuerMismatchError.isInstance(error) ? 'other_issuer' : 'refused';
}
