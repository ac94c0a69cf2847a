// Puts the routes together that are not about accounts, threads or health.
import type { Sessions } from './auth/sessions.ts';
import { createOpenStreams } from './http/open-streams.ts';
import { GATEWAY, RUNTIME } from './http/route-family.ts';
import type { MountRoutes } from './http/route-table.ts';
import { type AssistantRouteDependencies, assistantRoutes } from './http/routes/assistants.ts';
import { modelRoutes } from './http/routes/models.ts';
import { runSocketRoute } from './http/routes/run-socket.ts';
import { runRoutes } from './http/routes/runs.ts';
import { runtimeRoutes } from './http/routes/runtime.ts';
import { threadProtocolRoutes } from './http/routes/thread-protocol.ts';
import { type ThreadStateRouteDependencies, threadStateRoutes } from './http/routes/thread-state.ts';
import type { RunRouteDependencies } from './http/run-answers.ts';
import { createSessionWatch } from './http/session-watch.ts';
import type { Log } from './log.ts';
import type { ModelCatalog } from './models/catalog.ts';
import type { ThreadEvents } from './runs/protocol/thread-events.ts';

export interface ApiRouteParts
  extends Omit<RunRouteDependencies, 'openStreams'>,
    ThreadStateRouteDependencies,
    AssistantRouteDependencies {
  readonly models: ModelCatalog;
  readonly maxStreamsPerUser: number;
  readonly sessions: Sessions;
  readonly threadEvents: ThreadEvents;
  readonly log: Log;
}

/** In the order in which they are asked. */
export function createApiRoutes(parts: ApiRouteParts): readonly MountRoutes[] {
  const shared = {
    ...parts,
    openStreams: createOpenStreams({
      maxPerUser: parts.maxStreamsPerUser,
      sessionWatch: createSessionWatch(parts),
    }),
  };
  return [
    modelRoutes(parts),
    runtimeRoutes(),
    runSocketRoute(shared),
    threadProtocolRoutes(shared),
    ...[GATEWAY, RUNTIME].flatMap((family) => [
      assistantRoutes(family, parts),
      runRoutes(family, shared),
      threadStateRoutes(family, parts),
    ]),
  ];
}
