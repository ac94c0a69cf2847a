// How this machine confines the agent's commands, and what it lacks, for administrators.
import { z } from 'zod';
import { requireAdministrator } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';

const gapSchema = z.object({
  weight: z.enum(['wall', 'advice']),
  message: z.string(),
  fix: z.string(),
});

export interface MachineRouteDependencies {
  readonly machine: {
    /** How commands are run, as configured. */
    readonly sandbox: { readonly kind: string; readonly require: 'strict' | 'best' };
    readonly gaps: () => Promise<readonly z.output<typeof gapSchema>[]>;
  };
}

const machineSchema = z.object({
  sandbox: z.object({ kind: z.string(), require: z.enum(['strict', 'best']) }),
  gaps: z.array(gapSchema),
});

export function machineRoutes(
  routes: RouteTable,
  { machine: { sandbox, gaps } }: MachineRouteDependencies,
): void {
  routes.get('/api/admin/machine', {
    operationId: 'getMachine',
    errors: ['forbidden'],
    summary: 'What is missing to confine the commands of the agent; administrators only',
    responses: ok('The sandbox as configured, and what is missing', machineSchema),
    handle: async (c) => {
      requireAdministrator(c);
      const { kind, require } = sandbox;
      const missing = (await gaps()).map(({ weight, message, fix }) => ({ weight, message, fix }));
      return c.json({ sandbox: { kind, require }, gaps: missing });
    },
  });
}
