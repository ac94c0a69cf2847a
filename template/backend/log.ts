// Log lines: `pretty` for people, `json` for machines. Never a body, a cookie or a secret.
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config-schema.ts';

export function createLog({ logging, app }: Pick<Config, 'logging' | 'app'>): Logger {
  const options = { level: logging.level, base: { app: app.name } };
  if (logging.format === 'json') return pino(options, pino.destination({ dest: 1, singleLine: true, sync: true }));
  return pino(options, pretty({ ignore: 'app,server', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true }));
}
