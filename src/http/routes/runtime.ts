// What a client asks about the runtime itself: whether it is there, and what it can do.
import { z } from 'zod';
import { RELEASE } from '../api/release.ts';
import { RUNTIME } from '../api/route-family.ts';
import type { MountRoutes } from '../api/route-table.ts';

const okBody = z.object({ ok: z.literal(true) });
const infoBody = z.object({
  version: z.string(),
  flags: z.object({ assistants: z.boolean(), crons: z.boolean(), langsmith: z.boolean() }),
});

/** What the runtime offers of the groups that the SDK knows. */
const INFO: z.output<typeof infoBody> = {
  version: RELEASE,
  flags: { assistants: true, crons: false, langsmith: false },
};

export function runtimeRoutes(): MountRoutes {
  const { prefix, tag } = RUNTIME;
  return (routes) => {
    routes.add({
      method: 'get',
      path: `${prefix}/ok`,
      access: 'public',
      tag,
      operationId: 'getRuntimeStatus',
      errors: [],
      summary: 'The runtime answers',
      answers: { 200: { description: 'It does', schema: okBody } },
      handle: (c) => c.json({ ok: true }),
    });
    routes.add({
      method: 'get',
      path: `${prefix}/info`,
      access: 'public',
      tag,
      operationId: 'getRuntimeInfo',
      errors: [],
      summary: 'Release and abilities of the runtime',
      answers: { 200: { description: 'Release and abilities', schema: infoBody } },
      handle: (c) => c.json(INFO),
    });
  };
}
