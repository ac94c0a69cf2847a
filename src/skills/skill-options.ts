// Options of skills: the section `skills:` of the configuration file.
import { z } from 'zod';

export const skillOptionsSchema = z.strictObject({
  /** The folder of public skills, with one folder each. Absent: those that come with the service. */
  public_folder: z.string().min(1).optional(),
  /** Whether the agent may create and change skills of its user. */
  manage_tool: z.boolean().default(false),
  /** Custom skills per person. */
  max_per_user: z.int().min(1).max(1_000).default(100),
  /** The size of a package as sent, in megabytes. */
  max_package_mb: z.int().min(1).max(1_024).default(50),
});

export type SkillOptions = z.output<typeof skillOptionsSchema>;
