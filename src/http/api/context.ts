// The values that a request carries through middleware and routes.
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Credential } from '../../auth/credentials.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { UserRecord } from '../../storage/users.ts';
import type { LiveOffer } from '../transport/live-body.ts';
import type { RequestTarget } from '../transport/request-target.ts';
import type { UpgradeOffer } from '../transport/websocket.ts';

/** The client of a request, as seen behind a reverse proxy. */
interface Client {
  /** The address that the lockout counts. */
  readonly ip: string;
  /** Whether the request came over https, to this process or to a trusted proxy. */
  readonly isHttps: boolean;
  /** Whether the peer of the socket is a trusted proxy. */
  readonly isTrustedProxy: boolean;
}

export interface AppEnv {
  /** Absent when a test calls the app without a socket. WebSocket requests have `upgrade`, others `live`. */
  Bindings: Partial<HttpBindings> & {
    readonly target?: RequestTarget;
    readonly upgrade?: UpgradeOffer;
    readonly live?: LiveOffer;
  };
  Variables: {
    target: RequestTarget;
    requestId: string;
    client: Client;
    /** Set on every path that is not public. */
    user: UserRecord;
    /** The credential of the request. Absent on public paths. */
    credential?: Credential;
    /** Bound to `user`. */
    repositories: Repositories;
    /** Set on routes that declare `thread`. */
    thread: ThreadRecord;
  };
}

export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;
