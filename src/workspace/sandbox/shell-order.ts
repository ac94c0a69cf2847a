// What the thread of the virtual shell is told, and what it answers.
import { z } from 'zod';

export const shellOrderSchema = z.strictObject({
  areas: z.array(z.strictObject({ virtual: z.string(), real: z.string() })),
  script: z.string(),
  outputBytes: z.int(),
  fileBytes: z.int(),
  timeoutMs: z.int(),
});

export type ShellOrder = z.output<typeof shellOrderSchema>;

export const shellReportSchema = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.int(),
});

export type ShellReport = z.output<typeof shellReportSchema>;
