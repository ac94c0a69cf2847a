// Options of skills: what the configuration file says under `skills:`.
import { z } from 'zod';

export const skillOptionsSchema = z.strictObject({
  /** The folder of public skills, one folder each; absent: those that come with the service. */
  public_folder: z.string().min(1).optional(),
  /** Whether the agent may make and change skills of its user. */
  manage_tool: z.boolean().default(false),
  /** Custom skills that one person may have. */
  max_per_user: z.int().min(1).max(1_000).default(100),
  /** A package as it is sent, in megabytes. */
  max_package_mb: z.int().min(1).max(1_024).default(50),
});

export type SkillOptions = z.output<typeof skillOptionsSchema>;
