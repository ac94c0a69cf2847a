// Which optional parts there are, as frontends of the field ask before they show them.
import { z } from 'zod';
import { GATEWAY } from '../api/route-family.ts';
import type { MountRoutes } from '../api/route-table.ts';

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

/** Of these, the service has agents. */
const FEATURES: z.output<typeof featuresBody> = {
  agents_api: { enabled: true },
  browser_control: { enabled: false },
  mcp_tasks: { enabled: false },
  subagent_batches: { enabled: false, repository_available: false, worker_running: false, max_running: 0 },
  knowledge_base: { scope_selection_enabled: false },
};

export function featureRoutes(): MountRoutes {
  return (routes) => {
    routes.add({
      method: 'get',
      path: '/api/features',
      tag: GATEWAY.tag,
      operationId: 'listFeatures',
      errors: [],
      summary: 'Optional parts that frontends show only where they are',
      answers: { 200: { description: 'Whether they are here', schema: featuresBody } },
      handle: (c) => c.json(FEATURES),
    });
  };
}
