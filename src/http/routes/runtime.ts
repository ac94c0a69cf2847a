// Information about the service: whether the runtime responds, its capabilities and optional parts.
import { z } from 'zod';
import { RELEASE } from '../api/release.ts';
import { RUNTIME } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';

const okBody = z.object({ ok: z.literal(true) });
const infoBody = z.object({
  version: z.string(),
  flags: z.object({ assistants: z.boolean(), crons: z.boolean(), langsmith: z.boolean() }),
});

/** The groups of the SDK's API that the runtime offers. */
const INFO: z.output<typeof infoBody> = {
  version: RELEASE,
  flags: { assistants: true, crons: false, langsmith: false },
};

const flag = z.object({ enabled: z.boolean() });
const featuresBody = z
  .object({
    agents_api: flag,
    browser_control: flag,
    mcp_tasks: flag,
    subagent_batches: flag.extend({
      repository_available: z.boolean(),
      worker_running: z.boolean(),
      max_running: z.int(),
    }),
    knowledge_base: z.object({ scope_selection_enabled: z.boolean() }),
  })
  .meta({ id: 'Features' });

/** Of these features, the service has only agents. */
const FEATURES: z.output<typeof featuresBody> = {
  agents_api: { enabled: true },
  browser_control: { enabled: false },
  mcp_tasks: { enabled: false },
  subagent_batches: { enabled: false, repository_available: false, worker_running: false, max_running: 0 },
  knowledge_base: { scope_selection_enabled: false },
};

export function runtimeRoutes(routes: RouteTable): void {
  const { prefix } = RUNTIME;
  routes.get(`${prefix}/ok`, {
    access: 'public',
    operationId: 'getRuntimeStatus',
    summary: 'Whether the runtime responds',
    responses: ok('It does', okBody),
    handle: (c) => c.json({ ok: true }),
  });
  routes.get(`${prefix}/info`, {
    access: 'public',
    operationId: 'getRuntimeInfo',
    summary: 'Release and features of the runtime',
    responses: ok('Release and abilities', infoBody),
    handle: (c) => c.json(INFO),
  });
  routes.get('/api/features', {
    operationId: 'listFeatures',
    summary: 'Optional parts that frontends show only when available',
    responses: ok('Whether they are available', featuresBody),
    handle: (c) => c.json(FEATURES),
  });
}
