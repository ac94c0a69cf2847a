// The table of routes. One definition provides the handler, the validation and the documentation.
import type { Context } from 'hono';
import { z } from 'zod';
import { createBreath } from '../../breath.ts';
import type { ErrorCode } from '../../errors.ts';
import type { LoopLag } from '../transport/loop-lag.ts';
import type { RequestTarget } from '../transport/request-target.ts';
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

/** Top-level `null` in a JSON body counts as absent. Unknown keys are ignored unless the schema is strict. */
export type RouteBody<Body> =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType<Body>;
      /** A missing body reads as `{}`. */
      readonly optional?: true;
      /** Keys for which `null` differs from absent. */
      readonly nullable?: readonly string[];
    }
  | { readonly kind: 'form'; readonly schema: z.ZodType<Body> }
  /** Bytes that the route reads itself, piece by piece. */
  | { readonly kind: 'stream'; readonly contentType: string }
  /** Files in one form field, which the route reads itself as they arrive. */
  | {
      readonly kind: 'multipart';
      readonly field: string;
      /** Optional text fields beside the files. */
      readonly texts?: readonly string[];
    };

export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Set if the operation may respond with Server-Sent Events instead. */
  readonly orStream?: z.ZodType;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
}

/** Returns the responses of a route that has one success, with a JSON body. */
export function ok(description: string, schema: z.ZodType): Readonly<Record<number, RouteResponse>> {
  return { 200: { description, schema } };
}

/** Returns the responses of a route that has one success, with the bytes of a file. */
export function okBytes(description: string, contentType = 'application/octet-stream') {
  return { 200: { description, schema: z.string().meta({ format: 'binary' }), contentType } };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The documented part of a route. */
export interface RouteDescription extends Omit<RouteDefinition<unknown, unknown>, 'handle'> {
  readonly method: Method;
  readonly path: string;
}

interface RouteDefinition<Body, Query> {
  /** The name of the path's last parameter, if it matches the rest of the path, including slashes. */
  readonly rest?: string;
  /**
   * The name in generated clients. In the runtime's group, `graph` is prepended. Never changed once released.
   */
  readonly operationId: string;
  readonly summary: string;
  /** Errors besides those due to access, thread, body and query (`operation-errors.ts`). None by default. */
  readonly errors?: readonly ErrorCode[];
  /** Headers that the route reads besides credentials and the CSRF token. */
  readonly headers?: readonly RequestHeader[];
  /**
   * The required access. By default, GET reads and other methods may change something. Open paths have no
   * parameters.
   */
  readonly access?: RouteAccess;
  /** For paths with `{thread_id}`. Loads the thread into `c.var.thread`; 404 when it is not the user's. */
  readonly thread?: ThreadAccess;
  readonly body?: RouteBody<Body>;
  readonly query?: z.ZodType<Query>;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Returns nothing for a 204. */
  readonly handle: (
    c: Context<AppEnv>,
    input: { readonly body: Body; readonly query: Query },
  ) => Response | Promise<Response> | Promise<void>;
}

/** Adds a route of the method. `path` is written as in OpenAPI: `/api/threads/{thread_id}`. */
type AddRoute = <Body = undefined, Query = undefined>(
  path: string,
  definition: RouteDefinition<Body, Query>,
) => void;

export interface RouteTable extends Readonly<Record<Method, AddRoute>> {
  descriptions(): readonly RouteDescription[];
  /**
   * Returns the open access of the route with exactly this method and path, or `undefined` if it is not open.
   */
  openAccess(target: Pick<RequestTarget, 'method' | 'path'>): OpenAccess | undefined;
}

/** Adds routes in the order of matching. */
export type MountRoutes = (routes: RouteTable) => void;

export interface RouteTableParts {
  readonly maxJsonBytes: number;
  readonly loopLag: Pick<LoopLag, 'handling'>;
  /** Called after a route that may have changed something returned a response. */
  readonly onChange?: ((change: PossibleChange) => void) | undefined;
}

interface PossibleChange {
  readonly userId: string;
  /** The thread in the path. */
  readonly threadId: string | undefined;
}

export function createRouteTable(app: App, { maxJsonBytes, loopLag, onChange }: RouteTableParts): RouteTable {
  const descriptions: RouteDescription[] = [];
  const open = new Map<string, OpenAccess>();
  const adding =
    (method: Method): AddRoute =>
    <Body, Query>(path: string, { handle, ...described }: RouteDefinition<Body, Query>) => {
      const description = { method, path, ...described };
      const { rest, thread, body, query } = description;
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
        // A body may be megabytes long. Other work gets its turn between the steps.
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
          return result ?? c.body(null, 204);
        } finally {
          ended();
        }
      });
    };
  return {
    descriptions: () => descriptions,
    openAccess: ({ method, path }) => open.get(`${method} ${path}`),
    get: adding('get'),
    post: adding('post'),
    put: adding('put'),
    patch: adding('patch'),
    delete: adding('delete'),
  };
}

function schemaOf<Body>(body: RouteBody<Body> | undefined): z.ZodType<Body> {
  return body !== undefined && 'schema' in body ? body.schema : nothing();
}

/** Returns the schema of an input that the route does not declare. Its type parameter is then `undefined`. */
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
