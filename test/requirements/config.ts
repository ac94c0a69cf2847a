// What is asked of the configuration and the command line, by the ids that tests cite.
export const configRequirements = {
  'config.defaults': 'Without a file and a variable the service runs with the documented defaults.',
  'config.environment':
    'HOST, PORT, DATA_HOME, DATABASE_URL, AUTH_JWT_SECRET, AUTH_TRUSTED_PROXIES, CORS_ORIGINS, LOG_LEVEL and LOG_FORMAT set their settings.',
  'config.redis': 'REDIS_URL is refused with a sentence while there is no support for it.',
  'config.file':
    'CONFIG_FILE names the YAML file, config.yaml may be absent, and the environment wins over it.',
  'config.frozen': 'The configuration cannot be changed after it was loaded.',
  'config.references': '$NAME stands for an environment variable and $$ for a dollar sign.',
  'config.problems': 'All problems are told at once, with their line, a suggestion and a fix.',
  'config.yaml': 'Broken YAML, duplicate keys and alias bombs are problems with their line.',
  'config.example': 'config.example.yaml documents every key with its default.',
  'cli.config-check':
    '`config check` says what the configuration means, or every problem in it, and fails then.',
  'cli.reset-admin':
    '`reset-admin [--email E]` gives an account a generated password in the credentials file; only its path is shown.',
  'cli.transfer':
    '`export` writes an account to a package of mode 0600, also beside a running service; `import` brings it into an account; the audit log has both as acts of the operator.',
  'cli.transfer.refusals': '`export` and `import` say what is wrong, fail, and change nothing.',
  'cli.transfer.alone': '`import` refuses to work beside a service that has the data home.',
  'cli.transfer.whole':
    'An `export` or `import` that ends in the middle leaves no package and nothing that anybody sees.',
  'cli.doctor': '`doctor` explains every misconfiguration with its fix, shows no secret and changes nothing.',
} as const;
