// The table of routes: one definition gives the handler, the validation and the documentation.
import type { Context } from 'hono';
import { z } from 'zod';
import { createBreath } from '../../breath.ts';
import type { ErrorCode } from '../../errors.ts';
import type { LoopLag } from '../transport/loop-lag.ts';
import type { RequestTarget } from '../transport/request-target.ts';
import type { Clients } from './clients.ts';
import type { App, AppContext, AppEnv, AppMiddleware } from './context.ts';
import { givenFields, readForm, readJson, readQuery, requireContentType } from './read-request.ts';
import type { RequestHeader } from './request-headers.ts';
import {
  accessOf,
  isOpen,
  type OpenAccess,
  ownThread,
  type RouteAccess,
  requireAccess,
  type ThreadAccess,
} from './route-access.ts';
import { validate } from './validate.ts';

/** `null` at the top of a JSON body counts as absent, unknown keys are ignored unless the schema is strict. */
export type RouteBody<Body> =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType<Body>;
      /** No body reads as `{}`. */
      readonly optional?: true;
      /** Keys for which `null` is not the same as nothing. */
      readonly nullable?: readonly string[];
    }
  | { readonly kind: 'form'; readonly schema: z.ZodType<Body> }
  /** Bytes that the route reads by itself, piece by piece. */
  | { readonly kind: 'stream'; readonly contentType: string }
  /** Files in one field of a form, which the route reads by itself as they arrive. */
  | {
      readonly kind: 'multipart';
      readonly field: string;
      /** Texts beside the files; each may be left out. */
      readonly texts?: readonly string[];
    };

export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** The same operation may answer Server-Sent Events instead. */
  readonly orStream?: z.ZodType;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** A route as far as its documentation goes. */
export type RouteDescription = Omit<RouteDefinition<unknown, unknown>, 'handle'>;

interface RouteDefinition<Body, Query> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in OpenAPI: `/api/threads/{thread_id}`. */
  readonly path: string;
  /** The name of the path's last parameter, when it takes the rest of the path, slashes included. */
  readonly rest?: string;
  /** Its heading in the API's document; absent: that of its group. */
  readonly tag?: string;
  /** What generated clients call it; in the runtime's group, `graph` is put before it. Never changed once released. */
  readonly operationId: string;
  readonly summary: string;
  /** What it refuses besides what follows from access, thread, body and query (`operation-errors.ts`); absent: nothing. */
  readonly errors?: readonly ErrorCode[];
  /** What it reads besides credentials and the CSRF token. */
  readonly headers?: readonly RequestHeader[];
  /** Who may ask; absent: a GET reads, everything else may change something. Open paths have no parameters. */
  readonly access?: RouteAccess;
  /** For paths with `{thread_id}`: checks the id, loads the thread into `c.var.thread`, 404 when it is not theirs. */
  readonly thread?: ThreadAccess;
  readonly body?: RouteBody<Body>;
  readonly query?: z.ZodType<Query>;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly handle: (
    c: Context<AppEnv>,
    input: { readonly body: Body; readonly query: Query },
  ) => Response | Promise<Response>;
}

export interface RouteTable {
  add<Body = undefined, Query = undefined>(definition: RouteDefinition<Body, Query>): void;
  /** The routes added so far. */
  descriptions(): readonly RouteDescription[];
  /** How the route of exactly this method and path is open to everybody; `undefined` for all others. */
  openAccess(target: Pick<RequestTarget, 'method' | 'path'>): OpenAccess | undefined;
}

/** Mounts the routes of one resource. */
export type MountRoutes = (routes: RouteTable) => void;

/** The same, for routes that must know where a request comes from. */
export type MountClientRoutes = (routes: RouteTable, clients: Clients) => void;

export interface RouteTableParts {
  readonly maxJsonBytes: number;
  readonly loopLag: Pick<LoopLag, 'handling'>;
  /** A route that may have changed something was answered well. */
  readonly onChange?: ((change: PossibleChange) => void) | undefined;
}

interface PossibleChange {
  readonly userId: string;
  /** The thread of the path. */
  readonly threadId: string | undefined;
}

export function createRouteTable(app: App, { maxJsonBytes, loopLag, onChange }: RouteTableParts): RouteTable {
  const descriptions: RouteDescription[] = [];
  const open = new Map<string, OpenAccess>();
  return {
    descriptions: () => descriptions,
    openAccess: ({ method, path }) => open.get(`${method} ${path}`),
    add<Body, Query>({ handle, ...description }: RouteDefinition<Body, Query>) {
      const { method, path, rest, thread, body, query } = description;
      descriptions.push(description);
      const access = accessOf(description);
      if (isOpen(access)) open.set(`${method.toUpperCase()} ${path}`, access);
      const querySchema = query ?? nothing<Query>();
      const bodySchema = schemaOf(body);
      const middleware: AppMiddleware[] = [requireAccess(access)];
      if (thread !== undefined) middleware.push(ownThread(thread));
      const pattern = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        name === rest ? `:${name}{.+}` : `:${name}`,
      );
      app.on(method.toUpperCase(), [pattern], ...middleware, async (c) => {
        const ended = loopLag.handling(`${method.toUpperCase()} ${path}`);
        // A body may be megabytes long: between its steps others get their turn.
        const breath = createBreath();
        try {
          const askedFor = validate(querySchema, query === undefined ? undefined : readQuery(c), 'query');
          const sent = await readBody(c, body, maxJsonBytes);
          await breath();
          const given = validate(bodySchema, sent, 'body');
          await breath();
          const result = await handle(c, { query: askedFor, body: given });
          if (method !== 'get' && access === 'write')
            onChange?.({ userId: c.var.user.id, threadId: c.var.thread?.threadId });
          return result;
        } finally {
          ended();
        }
      });
    },
  };
}

function schemaOf<Body>(body: RouteBody<Body> | undefined): z.ZodType<Body> {
  return body !== undefined && 'schema' in body ? body.schema : nothing();
}

/** The schema of an input that the route does not declare: its type parameter is `undefined` then. */
function nothing<T>(): z.ZodType<T> {
  return z.custom<T>((value) => value === undefined);
}

async function readBody(
  c: AppContext,
  body: RouteBody<unknown> | undefined,
  maxJsonBytes: number,
): Promise<unknown> {
  if (body === undefined || body.kind === 'multipart') return undefined;
  if (body.kind === 'stream') {
    requireContentType(c, body.contentType);
    return undefined;
  }
  if (body.kind === 'form') return await readForm(c);
  const value = await readJson(c, maxJsonBytes);
  if (value === undefined) return body.optional === true ? {} : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return givenFields(value, body.schema, body.nullable);
}
