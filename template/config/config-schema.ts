// The keys of config.yaml: what each may be, and its default.
import { isIP } from 'node:net';
import { z } from 'zod';

const text = z.string('must be a text').trim().min(1, 'must not be empty');
const toggle = z.boolean('must be true or false').default(false);
const choice = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

const environment = choice('development', 'staging', 'production').default('development');
const level = choice('debug', 'info', 'warn', 'error').default('info');
const format = choice('pretty', 'json').default('pretty');

const PORT = 'must be a whole number from 1 to 65535';
const port = z.int(PORT).min(1, PORT).max(65_535, PORT);
const server = (usual: number) =>
  z.strictObject({ port: port.default(usual), host: text.default('0.0.0.0') }).prefault({});

/** Paths of the backend beside its API. */
const TAKEN = /^\/(health|metrics|docs|openapi\.json)(\/|$)/;
const prefix = text
  .regex(/^(\/[\w.~-]+)+$/, 'must be a path that begins with / and does not end with one, such as /api')
  .refine((it) => !TAKEN.test(it), 'must not be a path that the backend itself uses')
  .default('/api');

const isOrigin = (it: string) => /^https?:/.test(it) && URL.canParse(it) && new URL(it).origin === it;
const origin = text.refine(isOrigin, 'must be an exact origin, such as https://app.example.com');
const cors = z.strictObject({ origins: z.array(origin, 'must be a list of origins').default([]) }).prefault({});

const PROXY = 'must be an IP address or a range, such as 10.0.0.7 or 10.0.0.0/8';
const isProxy = (it: string) => {
  const [address = '', bits, ...rest] = it.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};
const proxies = z.array(text.refine(isProxy, PROXY), 'must be a list of addresses').default([]);

const secret = z
  .string('must be a text')
  .min(32, 'must have at least 32 characters: set JWT_SECRET to a long random text')
  .prefault('');

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const DURATION = 'must be a duration up to 365d, such as 15m, 12h or 7d';
/** Comes out in seconds. */
const duration = z
  .string(DURATION)
  .default('7d')
  .transform((it) => {
    const [, count, unit = ''] = /^(\d{1,9})\s?([smhdw])$/.exec(it) ?? [];
    return Number(count) * (SECONDS[unit] ?? 0);
  })
  .pipe(z.number(DURATION).positive(DURATION).max(31_536_000, DURATION));

const clash = { path: ['backend', 'port'], error: 'must differ from server.frontend.port' };
const servers = z
  .strictObject({ frontend: server(3000), backend: server(4000) })
  .refine(({ frontend, backend }) => frontend.port !== backend.port, clash);

export const configSchema = z.strictObject({
  app: z.strictObject({ name: text.max(100, 'must be shorter').default('app'), environment }).prefault({}),
  server: servers.prefault({}),
  api: z.strictObject({ prefix, cors }).prefault({}),
  logging: z.strictObject({ level, format }).prefault({}),
  security: z
    .strictObject({ jwt: z.strictObject({ secret, expiresIn: duration }).prefault({}), trustedProxies: proxies })
    .prefault({}),
  features: z.strictObject({ enableMetrics: toggle, enableSwagger: toggle }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
