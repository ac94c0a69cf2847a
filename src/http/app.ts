// The HTTP application: which middleware and which routes there are, in their order.
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Auth } from '../auth/create-auth.ts';
import { notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { ThreadService } from '../threads/thread-service.ts';
import type { ThreadStateService } from '../threads/thread-state-service.ts';
import { createIsPublic } from './access/public-paths.ts';
import { type Clients, createClients, type PeerAddress, socketPeerAddress } from './api/clients.ts';
import type { App, AppEnv } from './api/context.ts';
import { createErrorResponse } from './api/error-response.ts';
import { GATEWAY, RUNTIME } from './api/route-family.ts';
import {
  createRouteTable,
  type MountClientRoutes,
  type RouteTable,
  type RouteTableParts,
} from './api/route-table.ts';
import { createWebFiles, type WebFiles } from './files/web-files.ts';
import { authenticate } from './middleware/authenticate.ts';
import { cors } from './middleware/cors.ts';
import { csrf, requireOrigin } from './middleware/cross-site.ts';
import { knownHost } from './middleware/known-host.ts';
import { requestLog } from './middleware/request-log.ts';
import { requestTarget, routedPath } from './middleware/request-target.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { mountApiKeyRoutes } from './routes/api-keys.ts';
import { mountAuthRoutes } from './routes/auth.ts';
import { mountDocs } from './routes/docs.ts';
import { mountHealthRoutes, type Ready } from './routes/health.ts';
import { mountSessionRoutes } from './routes/sessions.ts';
import { mountThreadRoutes } from './routes/threads.ts';
import { mountWeb, unknownPage } from './routes/web.ts';
import type { HttpOptions } from './transport/http-options.ts';
import { createLoopLag, type LoopLag } from './transport/loop-lag.ts';

export interface AppDependencies {
  readonly options: HttpOptions;
  readonly log: Log;
  readonly storage: Pick<Storage, 'as'>;
  readonly auth: Pick<
    Auth,
    | 'accounts'
    | 'confirmPassword'
    | 'sessions'
    | 'apiKeys'
    | 'credentials'
    | 'signIn'
    | 'signOut'
    | 'clientAddresses'
  >;
  readonly threads: ThreadService;
  readonly threadStates: Pick<
    ThreadStateService,
    'show' | 'requireShowable' | 'update' | 'matching' | 'valuesOf'
  >;
  readonly ready: Ready;
  /** The routes of the other resources: runs, models ... */
  readonly routes?: readonly MountClientRoutes[];
  /** Folder of the built web app. */
  readonly webRoot?: string | undefined;
  readonly peerAddress?: PeerAddress;
  /** Default: one that nobody starts. */
  readonly loopLag?: Pick<LoopLag, 'handling'>;
  readonly onChange?: RouteTableParts['onChange'];
  readonly now?: () => number;
  readonly newId?: () => string;
}

export function createApp(dependencies: AppDependencies): App {
  const { options, log } = dependencies;
  const app: App = new Hono<AppEnv>({ getPath: routedPath });
  const webFiles = createWebFiles(dependencies.webRoot);
  app.onError(createErrorResponse(log));
  app.notFound(() => {
    throw notFound('Page');
  });
  const { auth, peerAddress = socketPeerAddress, loopLag = createLoopLag({ log }), onChange } = dependencies;
  const clients = createClients(auth.clientAddresses, peerAddress);
  const table = createRouteTable(app, { maxJsonBytes: options.max_json_bytes, loopLag, onChange });
  mountMiddleware(app, { ...dependencies, clients, table }, webFiles);
  mountResources({ ...dependencies, clients, table });
  if (options.openapi) mountDocs(app, { ...options, routes: table });
  mountWeb(app, webFiles);
  return app;
}

interface Mounted extends AppDependencies {
  readonly clients: Clients;
  readonly table: RouteTable;
}

function mountMiddleware(app: App, dependencies: Mounted, webFiles: WebFiles): void {
  const { options, log, storage, auth, clients, table, now = Date.now, newId = randomUUID } = dependencies;
  const isPublic = createIsPublic({ options, routes: table, isWebPath: webFiles.has });
  app.use(requestTarget);
  app.use(requestLog({ log, now, newId }));
  app.use(securityHeaders(clients, { hstsSeconds: options.hsts_seconds }));
  app.use(knownHost(options, clients));
  app.use(cors(options.cors_origins));
  app.use(unknownPage({ webFiles, isPublic, routes: table }));
  app.use(authenticate({ credentials: auth.credentials, storage, isPublic, clients }));
  app.use(csrf({ allowedOrigins: options.cors_origins, routes: table }));
  app.use(requireOrigin(options.cors_origins));
}

function mountResources(dependencies: Mounted): void {
  const { auth, clients, ready, table, routes: others = [], now = Date.now } = dependencies;
  mountHealthRoutes(table, { ready });
  mountAuthRoutes(table, { ...auth, clients });
  for (const family of [GATEWAY, RUNTIME]) mountThreadRoutes(table, family, dependencies);
  mountApiKeyRoutes(table, { apiKeys: auth.apiKeys, clients, now });
  const { sessions, confirmPassword } = auth;
  mountSessionRoutes(table, { sessions, confirmPassword, clients, now });
  for (const mount of others) mount(table, clients);
}
