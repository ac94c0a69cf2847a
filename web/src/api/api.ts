// Every call that the app makes besides the SDK's, as functions that answer parsed bodies or throw RequestError.
import * as z from 'zod/mini';
import { RequestError, requestErrorOf, unreachable } from './service-error.ts';
import type { ServiceFetch } from './service-fetch.ts';
import {
  type Checkpoint,
  type CheckpointPage,
  checkpointSchema,
  loginSchema,
  type Model,
  modelListSchema,
  type Run,
  runSchema,
  setupStatusSchema,
  stateSchema,
  type Thread,
  threadSchema,
  type User,
  userSchema,
} from './shapes.ts';

export interface SignInForm {
  readonly email: string;
  readonly password: string;
  readonly remember: boolean;
}

export interface ThreadPage {
  readonly threads: readonly Thread[];
  /** Where the next page starts; undefined on the last one. */
  readonly next: number | undefined;
}

export type Api = ReturnType<typeof createApi>;

const AUTH = '/api/v1/auth';
const PAGE_SIZE = 100;

export function createApi(fetch: ServiceFetch) {
  async function call(method: string, path: string, body?: unknown): Promise<Response> {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      headers: isForm || body === undefined ? {} : { 'Content-Type': 'application/json' },
    }).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw await requestErrorOf(response);
    return response;
  }

  return {
    ...createAuthCalls(call),
    ...createThreadCalls(call),
    ...createStateCalls(call),

    /** The models to choose from; an empty list where the service offers no choice. */
    async models(): Promise<readonly Model[]> {
      try {
        return (await read(await call('GET', '/api/models'), modelListSchema)).models;
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return [];
        throw error;
      }
    },
  };
}

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

async function read<T extends z.core.$ZodType>(response: Response, schema: T): Promise<z.output<T>> {
  const parsed = z.safeParse(schema, await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new RequestError(response.status, 'The service gave an answer that this page does not understand.');
}

function createAuthCalls(call: Call) {
  return {
    /** Who is signed in; null when nobody is. */
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
    /** Makes the first administrator of a service that has none. */
    initialize: (form: { readonly email: string; readonly password: string }) =>
      call('POST', `${AUTH}/initialize`, form),
    signOut: () => call('POST', `${AUTH}/logout`),
    changePassword: (form: {
      readonly current: string;
      readonly next: string;
      readonly email?: string | undefined;
    }) =>
      call('POST', `${AUTH}/change-password`, {
        current_password: form.current,
        new_password: form.next,
        ...(form.email === undefined ? {} : { new_email: form.email }),
      }),
    changeEmail: (form: { readonly current: string; readonly email: string }) =>
      call('POST', `${AUTH}/change-email`, { current_password: form.current, new_email: form.email }),
  };
}

function createThreadCalls(call: Call) {
  return {
    async searchThreads(offset: number): Promise<ThreadPage> {
      const response = await call('POST', '/api/threads/search', { limit: PAGE_SIZE, offset });
      const threads = await read(response, z.array(threadSchema));
      return { threads, next: threads.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE };
    },
    renameThread: (threadId: string, title: string) =>
      call('POST', `${threadPath(threadId)}/state`, { values: { title } }),
    /** An independent thread with the conversation as it stands; its files stay where they are. */
    copyThread: async (threadId: string) =>
      read(await call('POST', `${threadPath(threadId)}/copy`), threadSchema),
    deleteThread: (threadId: string) => call('DELETE', `${threadPath(threadId)}?force=true`),
    /** The newest run of the thread; undefined when it has none. */
    async latestRun(threadId: string): Promise<Run | undefined> {
      const path = `/api/graph/threads/${encodeURIComponent(threadId)}/runs?limit=1&offset=0`;
      return (await read(await call('GET', path), z.array(runSchema)))[0];
    },
  };
}

function createStateCalls(call: Call) {
  return {
    /** The checkpoint that the thread stands at. */
    head: async (threadId: string): Promise<Checkpoint> =>
      read(await call('GET', `${threadPath(threadId)}/state`), checkpointSchema),
    /** Checkpoints older than one, without their messages. */
    async checkpointsBefore(threadId: string, checkpointId: string): Promise<CheckpointPage> {
      const body = { limit: PAGE_SIZE, before: checkpointId };
      const response = await call('POST', `${threadPath(threadId)}/history`, body);
      const checkpoints = await read(response, z.array(checkpointSchema));
      return { checkpoints, isLast: checkpoints.length < PAGE_SIZE };
    },
    /** The messages as they stood there, as the wire has them. */
    async messagesAt(threadId: string, checkpointId: string): Promise<readonly unknown[]> {
      const path = `${threadPath(threadId)}/state/${encodeURIComponent(checkpointId)}`;
      return (await read(await call('GET', path), stateSchema)).values.messages ?? [];
    },
    /** The messages of an agent that works, or worked, inside the thread; none where nothing is known of it. */
    async messagesOfAgent(threadId: string, namespace: string): Promise<readonly unknown[]> {
      const path = `/api/graph/threads/${encodeURIComponent(threadId)}/history`;
      const body = { limit: 1, checkpoint: { checkpoint_ns: namespace } };
      const [newest] = await read(await call('POST', path, body), z.array(stateSchema));
      return newest?.values.messages ?? [];
    },
    /** Goes on from there: the branch of that checkpoint becomes the one that the thread shows. */
    showBranch: (threadId: string, { checkpoint_id, title }: Checkpoint) =>
      call('POST', `${threadPath(threadId)}/state`, { values: title ? { title } : {}, checkpoint_id }),
  };
}

function threadPath(threadId: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}`;
}
