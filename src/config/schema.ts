// The whole configuration: the option schemas of the parts under the keys of the YAML file.
import { z } from 'zod';
import { agentOptionsSchema } from '../agent/agent-options.ts';
import { authOptionsSchema } from '../auth/auth-options.ts';
import { httpOptionsSchema } from '../http/http-options.ts';
import { logOptionsSchema } from '../log.ts';
import { modelsOptionsSchema } from '../models/model-options.ts';
import { runOptionsSchema } from '../runs/run-options.ts';
import { storageOptionsSchema } from '../storage/sql/storage-options.ts';

export const configSchema = z.strictObject({
  server: httpOptionsSchema.prefault({}),
  /** Everything that the service keeps on disk; relative to the working directory. */
  data_home: z.string().min(1).default('.data'),
  /** Absent: `sqlite:<data_home>/service.db`. */
  database: storageOptionsSchema.optional(),
  log: logOptionsSchema.prefault({}),
  auth: authOptionsSchema.prefault({}),
  /** Absent: found from the keys in the environment, else the demo model. */
  models: modelsOptionsSchema.optional(),
  runs: runOptionsSchema.prefault({}),
  agent: agentOptionsSchema.prefault({}),
});

type ConfigValues = z.output<typeof configSchema>;

/** What the service is built from; frozen. Paths are absolute. */
export interface Config extends Readonly<Omit<ConfigValues, 'data_home' | 'database'>> {
  readonly dataHome: string;
  readonly database: NonNullable<ConfigValues['database']>;
}
