// Whether the process is alive, and whether it can accept work (docs/contract/conventions.md#health).
import { z } from 'zod';
import { ok, type RouteTable } from '../api/route-table.ts';

/** Returns the reasons why the service cannot accept work now, one sentence each. Empty when it can. */
export type Ready = () => Promise<readonly string[]>;

export function healthRoutes(routes: RouteTable, { ready }: { readonly ready: Ready }): void {
  routes.get('/health', {
    access: 'public',
    operationId: 'getHealth',
    summary: 'The process responds; nothing else is checked',
    responses: ok('Healthy', z.object({ status: z.literal('healthy') })),
    handle: (c) => c.json({ status: 'healthy' }),
  });

  routes.get('/health/ready', {
    access: 'public',
    operationId: 'getReadiness',
    summary: 'The service can accept work',
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
}
