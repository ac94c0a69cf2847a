// The log port: structured lines without secrets or request bodies.
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { z } from 'zod';

/** Each call writes one line: a message, and the fields to search it by. Errors go under `err`. */
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

const STANDARD_OUTPUT = 1;
const PATIENCE_MS = 500;
const FORGET_MS = 10_000;

const REDACTED = ['authorization', 'cookie', 'password', 'api_key', 'apiKey', 'token', 'secret'];

export function createLog(options: LogOptions): Log {
  const redact = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const backslash = options.format === 'json' ? '\\' : '\\\\';
  const hooks = { streamWrite: (line: string) => withoutLateControls(line, backslash) };
  const settings = { level: options.level, redact, hooks };
  const destination = pino.destination({ dest: STANDARD_OUTPUT, sync: true, retryEAGAIN: boundedPatience() });
  // The reader of the log is gone. The service must still be able to work and to stop.
  destination.on('error', () => {});
  if (options.format === 'json') return pino(settings, destination);
  // Formats in this process: a transport would use another thread with its own memory.
  return pino(settings, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', destination }));
}

/**
 * Escapes the remaining controls. JSON escapes only ASCII controls, but terminals obey others as well.
 * `pino-pretty` parses the line once more.
 */
function withoutLateControls(line: string, backslash: string): string {
  return line.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (sign) => `${backslash}u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Waits a limited time for a slow reader of the log. After that, lines are lost, not the service. */
function boundedPatience(): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - since > FORGET_MS) since = now;
    return now - since < PATIENCE_MS;
  };
}
