// What a request carries through the middleware and into the routes.
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Credential } from '../../auth/credentials.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { UserRecord } from '../../storage/users.ts';
import type { LiveOffer } from '../transport/live-offer.ts';
import type { RequestTarget } from '../transport/request-target.ts';
import type { UpgradeOffer } from '../transport/upgrade-offer.ts';

export interface AppEnv {
  /** Absent when a test calls the app without a socket; `upgrade` comes with a request for a WebSocket, `live` without. */
  Bindings: Partial<HttpBindings> & {
    readonly target?: RequestTarget;
    readonly upgrade?: UpgradeOffer;
    readonly live?: LiveOffer;
  };
  Variables: {
    /** What the request asks for. */
    target: RequestTarget;
    requestId: string;
    /** Set on every path that is not public. */
    user: UserRecord;
    /** What the request showed for it; absent on public paths. */
    credential?: Credential;
    /** Bound to `user`. */
    repositories: Repositories;
    /** Whether it came by https; on every path that is not public. */
    https: boolean;
    /** Set on routes that declare `thread`. */
    thread: ThreadRecord;
  };
}

export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;
