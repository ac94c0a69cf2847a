// One file, exactly these keys, and all problems together.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../config/load-config.ts';
import { SECRET } from './support/open-backend.ts';

const DEFAULTS = {
  app: { name: 'app', environment: 'development' },
  server: { frontend: { port: 3000, host: '0.0.0.0' }, backend: { port: 4000, host: '0.0.0.0' } },
  api: { prefix: '/api', cors: { origins: [] } },
  logging: { level: 'info', format: 'pretty' },
  security: { jwt: { secret: SECRET, expiresIn: 604_800 }, trustedProxies: [] },
  features: { enableMetrics: false, enableSwagger: false },
};

it('has a default for every key but the secret, which is not in config.yaml', async () => {
  expect(parseConfig('', { JWT_SECRET: SECRET })).toEqual(DEFAULTS);
  expect(parseConfig('api:\n  cors:\n', { JWT_SECRET: SECRET })).toEqual(DEFAULTS);
  const text = await readFile('config.yaml', 'utf8');
  const ours = {
    app: { ...DEFAULTS.app, name: expect.any(String) },
    features: { enableMetrics: true, enableSwagger: true },
  };
  expect(parseConfig(text, { JWT_SECRET: SECRET })).toEqual({ ...DEFAULTS, ...ours });
  expect(parse(text)).toEqual({ ...DEFAULTS, ...ours, security: { jwt: { expiresIn: '7d' }, trustedProxies: [] } });
});

it('takes what the environment says', () => {
  const config = parseConfig('server: { backend: { port: 1 } }', {
    APP_NAME: 'shop',
    APP_SERVER_BACKEND_PORT: '4444',
    APP_API_CORS_ORIGINS: 'https://a.example, https://b.example',
    APP_SECURITY_JWT_SECRET: SECRET,
    APP_SECURITY_JWT_EXPIRES_IN: '90m',
    APP_FEATURES_ENABLE_METRICS: 'true',
    APP_API_PREFIX: '',
  });
  expect([config.app.name, config.server.backend.port, config.features.enableMetrics]).toEqual(['shop', 4444, true]);
  expect(config.api).toEqual({ prefix: '/api', cors: { origins: ['https://a.example', 'https://b.example'] } });
  expect(config.security.jwt).toEqual({ secret: SECRET, expiresIn: 5400 });
});

it('takes the secret of the file, and refuses to choose between two', () => {
  const file = `security: { jwt: { secret: "${SECRET}" } }`;
  expect(parseConfig(file, {}).security.jwt.secret).toBe(SECRET);
  expect(parseConfig(file, { JWT_SECRET: '' }).security.jwt.secret).toBe(SECRET);
  expect(() => parseConfig(file, { JWT_SECRET: `${SECRET}, another` })).toThrow(
    /\(1\):\n {2}- security.jwt.secret is in the file and in JWT_SECRET \(.+\): leave one of them empty$/,
  );
});

it.each([['10.0.0.7'], ['10.0.0.0/8', 'fd00::/8']])('takes the trusted proxies %j', (...trustedProxies) => {
  const config = parseConfig(JSON.stringify({ security: { trustedProxies } }), { JWT_SECRET: SECRET });
  expect(config.security.trustedProxies).toEqual(trustedProxies);
});

it.each(['proxy.example.com', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129'])(
  'refuses the proxy %j',
  (it) => {
    const environment = { JWT_SECRET: SECRET, APP_SECURITY_TRUSTED_PROXIES: it };
    expect(() => parseConfig('', environment)).toThrow(/security.trustedProxies.0 must be an IP address or a range/);
  },
);

it('says all that is wrong, where it comes from, and never the secret', () => {
  const text = `
app: { environment: live }
server: { backend: { port: 70000, adress: here } }
api: { prefix: /health, cors: { origins: ['*'] } }
security: { jwt: { expiresIn: soon } }
feature: {}`;
  expect(() => parseConfig(text, { JWT_SECRET: 'hunter2', APP_LOGGING_LEVEL: 'loud' })).toThrow(
    `The configuration is not right (9):
  - app.environment must be one of development, staging, production
  - server.backend.port must be a whole number from 1 to 65535
  - server.backend.adress is not a setting
  - api.prefix must not be a path that the backend itself uses
  - api.cors.origins.0 must be an exact origin, such as https://app.example.com
  - logging.level must be one of debug, info, warn, error (it comes from APP_LOGGING_LEVEL)
  - security.jwt.secret must have at least 32 characters: set JWT_SECRET to a long random text (it comes from JWT_SECRET)
  - security.jwt.expiresIn must be a duration up to 365d, such as 15m, 12h or 7d
  - feature is not a setting`,
  );
  expect(() => parseConfig(`jwt:\n secret: "${SECRET}\n`, {})).toThrow(/not YAML/);
  expect(() => parseConfig(`jwt:\n secret: "${SECRET}\n`, {})).not.toThrow(SECRET);
});

it.each(['0s', '400d', '-1d', '7', '1.5h', '7 days', ''])('refuses the duration %j', (expiresIn) => {
  const text = JSON.stringify({ security: { jwt: { expiresIn } } });
  expect(() => parseConfig(text, { JWT_SECRET: SECRET })).toThrow(/\(1\):\n {2}- security.jwt.expiresIn must/);
});
