// Whether the process lives, and whether it can take work (docs/contract/conventions.md#health).
import { z } from 'zod';
import type { MountRoutes } from '../api/route-table.ts';

/** Why the service cannot take work now, one sentence each; empty when it can. */
export type Ready = () => Promise<readonly string[]>;

export function healthRoutes({ ready }: { readonly ready: Ready }): MountRoutes {
  return (routes) => {
    routes.add({
      method: 'get',
      path: '/health',
      access: 'public',
      tag: 'Health',
      operationId: 'getHealth',
      summary: 'The process answers; nothing else is asked',
      responses: { 200: { description: 'Healthy', schema: z.object({ status: z.literal('healthy') }) } },
      handle: (c) => c.json({ status: 'healthy' }),
    });

    routes.add({
      method: 'get',
      path: '/health/ready',
      access: 'public',
      tag: 'Health',
      operationId: 'getReadiness',
      summary: 'The service can take work',
      responses: {
        200: { description: 'Ready', schema: z.object({ ready: z.literal(true) }) },
        503: {
          description: 'Not ready',
          schema: z.object({ ready: z.literal(false), reasons: z.array(z.string()) }),
        },
      },
      handle: async (c) => {
        const reasons = await ready();
        return reasons.length === 0 ? c.json({ ready: true }) : c.json({ ready: false, reasons }, 503);
      },
    });
  };
}
