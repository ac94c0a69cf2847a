// The whole configuration: the option schemas of all modules under the keys of the YAML file.
import { z } from 'zod';
import { agentOptionsSchema } from '../agent/agent-options.ts';
import { authOptionsSchema } from '../auth/auth-options.ts';
import { httpOptionsSchema } from '../http/transport/http-options.ts';
import { logOptionsSchema } from '../log.ts';
import { mcpOptionsSchema } from '../mcp/mcp-options.ts';
import { memoryOptionsSchema } from '../memory/memory-options.ts';
import { modelsOptionsSchema } from '../models/model-options.ts';
import { budgetOptionsSchema } from '../runs/budget/budget-options.ts';
import { runOptionsSchema } from '../runs/run-options.ts';
import { scheduleOptionsSchema } from '../schedules/schedule-options.ts';
import { skillOptionsSchema } from '../skills/skill-options.ts';
import { storageOptionsSchema } from '../storage/sql/database/storage-options.ts';
import { storeOptionsSchema } from '../store/store-options.ts';
import { toolOptionsSchema } from '../tools/tool-options.ts';
import { transferOptionsSchema } from '../transfer/transfer-options.ts';
import { webhookOptionsSchema } from '../webhooks/webhook-options.ts';
import { quotaOptionsSchema } from '../workspace/quota/quota-options.ts';
import { sandboxOptionsSchema } from '../workspace/sandbox/sandbox-options.ts';
import { workspaceOptionsSchema } from '../workspace/snapshots/snapshot-options.ts';
import { uploadOptionsSchema } from '../workspace/uploads/upload-options.ts';

export const configSchema = z.strictObject({
  server: httpOptionsSchema.prefault({}),
  /** Folder for everything that the service stores on disk, relative to the working directory. */
  data_home: z.string().min(1).default('.data'),
  /** If absent, `sqlite:<data_home>/service.db`. */
  database: storageOptionsSchema.optional(),
  log: logOptionsSchema.prefault({}),
  auth: authOptionsSchema.prefault({}),
  /** If absent, chosen by the keys in the environment, else the demo model. */
  models: modelsOptionsSchema.optional(),
  runs: runOptionsSchema.prefault({}),
  budgets: budgetOptionsSchema.prefault({}),
  agent: agentOptionsSchema.prefault({}),
  memory: memoryOptionsSchema.prefault({}),
  schedules: scheduleOptionsSchema.prefault({}),
  sandbox: sandboxOptionsSchema.prefault({}),
  workspace: workspaceOptionsSchema.extend(quotaOptionsSchema.shape).prefault({}),
  uploads: uploadOptionsSchema.prefault({}),
  tools: toolOptionsSchema.prefault({}),
  skills: skillOptionsSchema.prefault({}),
  store: storeOptionsSchema.prefault({}),
  webhooks: webhookOptionsSchema.prefault({}),
  mcp: mcpOptionsSchema.prefault({}),
  import: transferOptionsSchema.prefault({}),
});

type ConfigValues = z.output<typeof configSchema>;

/** The configuration of the service, frozen. Paths are absolute. */
export interface Config extends Readonly<Omit<ConfigValues, 'data_home' | 'database'>> {
  readonly dataHome: string;
  /** Path of the file, whether or not it exists. */
  readonly configFile: string;
  /** The environment variables to which the file refers. */
  readonly variables: readonly string[];
  readonly database: NonNullable<ConfigValues['database']>;
}
