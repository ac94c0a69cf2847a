// The table of routes: one definition gives the handler, the validation and the documentation.
import type { Context } from 'hono';
import { z } from 'zod';
import type { App, AppContext, AppEnv, AppMiddleware } from './context.ts';
import { ownThread, type ThreadAccess } from './middleware/own-thread.ts';
import { readForm, readJson } from './read-body.ts';
import { readQuery } from './read-query.ts';
import { validate } from './validate.ts';

/** `null` at the top of a JSON body counts as absent, unknown keys are ignored unless the schema is strict. */
export type RouteBody<Body> =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType<Body>;
      /** No body reads as `{}`. */
      readonly optional?: true;
    }
  | { readonly kind: 'form'; readonly schema: z.ZodType<Body> };

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** A route as far as its documentation goes. */
export type RouteDescription = Omit<RouteDefinition<unknown, unknown>, 'handle'>;

interface RouteDefinition<Body, Query> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in OpenAPI: `/api/threads/{thread_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** For paths with `{thread_id}`: checks the id, loads the thread into `c.var.thread`, 404 when it is not theirs. */
  readonly thread?: ThreadAccess;
  readonly body?: RouteBody<Body>;
  readonly query?: z.ZodType<Query>;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  readonly handle: (
    c: Context<AppEnv>,
    input: { readonly body: Body; readonly query: Query },
  ) => Response | Promise<Response>;
}

export interface RouteTable {
  add<Body = undefined, Query = undefined>(definition: RouteDefinition<Body, Query>): void;
  /** The routes added so far. */
  descriptions(): readonly RouteDescription[];
}

/** Mounts the routes of one resource. */
export type MountRoutes = (routes: RouteTable) => void;

export function createRouteTable(app: App, { maxJsonBytes }: { readonly maxJsonBytes: number }): RouteTable {
  const descriptions: RouteDescription[] = [];
  return {
    descriptions: () => descriptions,
    add({ handle, ...description }) {
      const { method, path, thread, body, query } = description;
      descriptions.push(description);
      const middleware: AppMiddleware[] = thread === undefined ? [] : [ownThread(thread)];
      app.on(method.toUpperCase(), [path.replaceAll(/\{(\w+)\}/g, ':$1')], ...middleware, async (c) =>
        handle(c, {
          query: validate(query ?? nothing(), query === undefined ? undefined : readQuery(c), 'query'),
          body: validate(body?.schema ?? nothing(), await readBody(c, body, maxJsonBytes), 'body'),
        }),
      );
    },
  };
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
  if (body === undefined) return undefined;
  if (body.kind === 'form') return await readForm(c);
  const value = await readJson(c, maxJsonBytes);
  if (value === undefined) return body.optional === true ? {} : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, child]) => child !== null));
}
