// The log port: structured lines, never a secret, never a request body.
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { z } from 'zod';

/** One line: what happened, and the fields to search it by. Errors go under `err`. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export const logOptionsSchema = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  format: z.enum(['pretty', 'json']).default('pretty'),
});

export type LogOptions = z.output<typeof logOptionsSchema>;

const REDACTED = ['authorization', 'cookie', 'password', 'api_key', 'apiKey', 'token', 'secret'];

export function createLog(options: LogOptions): Log {
  const redact = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const settings = { level: options.level, redact };
  // In this process: a transport would be a thread of its own, with its memory.
  if (options.format === 'json') return pino(settings);
  return pino(settings, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', sync: true }));
}
