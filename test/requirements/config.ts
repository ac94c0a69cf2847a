// Requirements of the configuration and the command line, by the ids that tests cite.
export const configRequirements = {
  'config.defaults': 'Without a file and variables, the service runs with the documented defaults.',
  'config.environment':
    'HOST, PORT, DATA_HOME, DATABASE_URL, AUTH_JWT_SECRET, AUTH_TRUSTED_PROXIES, CORS_ORIGINS, LOG_LEVEL and LOG_FORMAT set their settings.',
  'config.redis': 'REDIS_URL is refused with a sentence while it is not supported.',
  'config.file':
    'CONFIG_FILE names the YAML file, config.yaml may be absent, and the environment wins over it.',
  'config.frozen': 'The configuration cannot be changed after it was loaded.',
  'config.references': '$NAME stands for an environment variable and $$ for a dollar sign.',
  'config.problems': 'All problems are reported at once, each with its line, a suggestion and a fix.',
  'config.yaml': 'Broken YAML, duplicate keys and alias bombs are reported with their line.',
  'config.example': 'config.example.yaml documents every key with its default.',
  'cli.config-check': '`config check` explains the configuration, or reports every problem and fails.',
  'cli.reset-admin':
    '`reset-admin [--email E]` sets a generated password for an account and writes it to the credentials file; only the path is printed.',
  'cli.transfer':
    '`export` writes an account to a package of mode 0600, even while the service runs; `import` loads it into an account; the audit log records both as acts of the operator.',
  'cli.transfer.refusals': '`export` and `import` explain what is wrong, fail, and change nothing.',
  'cli.transfer.alone': '`import` refuses to work while a service uses the data home.',
  'cli.transfer.whole': 'An interrupted `export` or `import` leaves no package and no visible change.',
  'start.build': 'A start runs the build of the current sources.',
  'start.build.changed':
    'A start after a change of the sources runs the sources, and builds them once for the next start.',
  'start.build.parts': 'Parts of the previous build stay, for processes of it that load them later.',
  'start.build.copied': 'A copy of the repository whose files have other times runs its build.',
  'cli.doctor': '`doctor` explains every misconfiguration and its fix, shows no secret and changes nothing.',
} as const;
