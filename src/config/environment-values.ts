// The environment variables that set keys of the configuration.
import type { ConfigPath } from './config-file.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { Environment } from './references.ts';

interface Setting {
  readonly name: string;
  readonly path: ConfigPath;
  readonly kind: 'text' | 'list';
}

const SETTINGS: readonly Setting[] = [
  { name: 'HOST', path: ['server', 'host'], kind: 'text' },
  { name: 'PORT', path: ['server', 'port'], kind: 'text' },
  { name: 'CORS_ORIGINS', path: ['server', 'cors_origins'], kind: 'list' },
  { name: 'DATA_HOME', path: ['data_home'], kind: 'text' },
  { name: 'DATABASE_URL', path: ['database', 'url'], kind: 'text' },
  { name: 'AUTH_JWT_SECRET', path: ['auth', 'jwt_secret'], kind: 'text' },
  { name: 'AUTH_TRUSTED_PROXIES', path: ['auth', 'trusted_proxies'], kind: 'list' },
  { name: 'LOG_LEVEL', path: ['log', 'level'], kind: 'text' },
  { name: 'LOG_FORMAT', path: ['log', 'format'], kind: 'text' },
];

export interface EnvironmentValue {
  readonly name: string;
  readonly path: ConfigPath;
  readonly value: string | readonly string[];
}

/**
 * Returns the settings in the environment. An empty variable counts as not set. Lists are comma-separated.
 */
export function environmentValues(environment: Environment): readonly EnvironmentValue[] {
  return SETTINGS.flatMap(({ name, path, kind }) => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return [];
    return [{ name, path, value: kind === 'list' ? splitList(text) : text }];
  });
}

/** Reports settings that this version does not support, instead of ignoring them. */
export function unsupportedSettings(environment: Environment): readonly ConfigProblem[] {
  if (!environment.REDIS_URL?.trim()) return [];
  return [
    {
      place: { kind: 'environment', name: 'REDIS_URL' },
      message: 'REDIS_URL is set, but this version has no Redis support yet.',
      fix: 'Unset REDIS_URL; one process serves everything without it.',
    },
  ];
}

function splitList(text: string): readonly string[] {
  return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}
