// Options of the agent: what the configuration file says under `agent:`.
import { z } from 'zod';
import { compactionOptionsSchema } from './compaction/compaction-options.ts';

export const agentOptionsSchema = z.strictObject({
  /** Added to the lead agent's system prompt. */
  instructions: z.string().max(20_000).default(''),
  /** Tools that a person must agree to before they run. */
  approvals: z.record(z.string().min(1), z.enum(['always', 'never', 'once_per_thread'])).default({}),
  /** The model that writes titles; absent: the first words of the question, without a model call. */
  title_model: z.string().min(1).optional(),
  /** What becomes of threads that are longer than the model can read. */
  compaction: compactionOptionsSchema.prefault({}),
});
