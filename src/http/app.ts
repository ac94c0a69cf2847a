// The HTTP application: its middleware in order, its routes, and the web app.
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Auth } from '../auth/create-auth.ts';
import { notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { createIsPublic } from './access/public-paths.ts';
import type { App, AppEnv } from './api/context.ts';
import { createErrorResponse } from './api/error-response.ts';
import { createRouteTable, type MountRoutes, type RouteTableParts } from './api/route-table.ts';
import { createWebFiles } from './files/web-files.ts';
import { authenticate } from './middleware/authenticate.ts';
import { client, type PeerAddress, socketPeerAddress } from './middleware/client.ts';
import { cors } from './middleware/cors.ts';
import { csrf, requireOrigin } from './middleware/cross-site.ts';
import { knownHost } from './middleware/known-host.ts';
import { requestLog } from './middleware/request-log.ts';
import { requestTarget, routedPath } from './middleware/request-target.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { mountDocs } from './routes/docs.ts';
import { mountWeb, unknownPage } from './routes/web.ts';
import type { HttpOptions } from './transport/http-options.ts';
import { createLoopLag, type LoopLag } from './transport/loop-lag.ts';

export interface AppDependencies {
  readonly options: HttpOptions;
  readonly log: Log;
  readonly storage: Pick<Storage, 'as'>;
  readonly auth: Pick<Auth, 'credentials' | 'clientAddresses'>;
  readonly mountRoutes: MountRoutes;
  /** Folder of the built web app. */
  readonly webRoot?: string | undefined;
  /** If absent, the peer of the socket. */
  readonly peerAddress?: PeerAddress | undefined;
  /** Defaults to a monitor that is never started. */
  readonly loopLag?: Pick<LoopLag, 'handling'>;
  readonly onChange?: RouteTableParts['onChange'];
  readonly now?: () => number;
  readonly newId?: () => string;
}

export function createApp(dependencies: AppDependencies): App {
  const { options, log, storage, auth, mountRoutes, onChange } = dependencies;
  const { peerAddress = socketPeerAddress, loopLag = createLoopLag({ log }) } = dependencies;
  const { now = Date.now, newId = randomUUID } = dependencies;
  const app: App = new Hono<AppEnv>({ getPath: routedPath });
  app.onError(createErrorResponse(log));
  app.notFound(() => {
    throw notFound('Page');
  });
  const webFiles = createWebFiles(dependencies.webRoot);
  const table = createRouteTable(app, { maxJsonBytes: options.max_json_bytes, loopLag, onChange });
  const isPublic = createIsPublic({ options, routes: table, isWebPath: webFiles.has });
  app.use(requestTarget);
  app.use(requestLog({ log, now, newId }));
  app.use(client(auth.clientAddresses, peerAddress));
  app.use(securityHeaders({ hstsSeconds: options.hsts_seconds }));
  app.use(knownHost(options));
  app.use(cors(options.cors_origins));
  app.use(unknownPage({ webFiles, isPublic, routes: table }));
  app.use(authenticate({ credentials: auth.credentials, storage, isPublic }));
  app.use(csrf({ allowedOrigins: options.cors_origins, routes: table }));
  app.use(requireOrigin(options.cors_origins));
  mountRoutes(table);
  if (options.openapi) mountDocs(app, { docs: options.docs, routes: table });
  mountWeb(app, webFiles);
  return app;
}
