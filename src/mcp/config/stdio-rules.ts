// What a stdio server may be started with. The box around it confines it; these rules keep the configuration
// from being a shell.

interface Flags {
  /** Harmless flags. */
  readonly alone: ReadonlySet<string>;
  /** Harmless flags that are followed by their value. */
  readonly withValue: ReadonlySet<string>;
}

const flags = (alone: readonly string[], withValue: readonly string[]): Flags => ({
  alone: new Set(alone),
  withValue: new Set(withValue),
});

const PYTHON = flags(['-u', '-B', '-I', '-s', '-E'], ['-X']);

/** Flags allowed before the script or the package. These programs get no other flags there. */
const KNOWN_FLAGS: ReadonlyMap<string, Flags> = new Map([
  ['npx', flags(['-y', '--yes', '-q', '--quiet', '--offline', '--prefer-offline'], ['-p', '--package'])],
  [
    'uvx',
    flags(['-q', '--quiet', '--offline', '--isolated', '--no-cache'], ['--from', '--with', '-p', '--python']),
  ],
  ['node', flags(['--enable-source-maps', '--no-warnings'], ['--max-old-space-size'])],
  ['python', PYTHON],
  ['python3', PYTHON],
]);

/** For programs that an operator added: flags that make most of them run their argument as code. */
const CODE_FLAGS: ReadonlySet<string> = new Set([
  '-c',
  '-e',
  '-p',
  '-r',
  '--eval',
  '--print',
  '--require',
  '--import',
  '--call',
  '--command',
  '--exec',
]);
const PYTHON_MODULE = '-m';

/** Variables that make a program run foreign code, or another program. */
const CODE_VARIABLES: ReadonlySet<string> = new Set([
  'PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONBREAKPOINT',
  'BASH_ENV',
  'ENV',
  'SHELL',
  'PERL5OPT',
  'PERL5LIB',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  'GIT_SSH_COMMAND',
]);
const CODE_PREFIXES = ['LD_', 'DYLD_', 'NPM_CONFIG_'];

/** Returns a sentence about the first problem; `undefined` when there is none. */
export function stdioProblem(
  { command, args, env }: { command: string; args: readonly string[]; env: Readonly<Record<string, string>> },
  allowed: readonly string[],
): string | undefined {
  if (!allowed.includes(command)) {
    const names = allowed.length === 0 ? 'none is allowed' : `allowed are ${allowed.join(', ')}`;
    return `this command may not be started; ${names} (mcp.stdio_commands of the configuration file).`;
  }
  const flag = codeFlag(command, args);
  if (flag !== undefined)
    return `${command} cannot be started with '${flag}' before its script or package. Name a script or a package.`;
  const variable = Object.keys(env).find(runsCode);
  if (variable !== undefined)
    return `the variable ${variable} could make it run other code and is not allowed.`;
  return undefined;
}

function runsCode(variable: string): boolean {
  const name = variable.toUpperCase();
  return CODE_VARIABLES.has(name) || CODE_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** Returns the first flag that is not known to be harmless. Flags after the script belong to the script. */
function codeFlag(command: string, args: readonly string[]): string | undefined {
  const known = KNOWN_FLAGS.get(command);
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    if (!argument.startsWith('-') || (known === PYTHON && argument === PYTHON_MODULE)) return undefined;
    if (!isHarmless(argument, known)) return shown(argument);
    if (known?.withValue.has(argument) === true) at += 1;
  }
  return undefined;
}

function isHarmless(argument: string, known: Flags | undefined): boolean {
  const [name = ''] = argument.split('=', 1);
  if (known === undefined) return !CODE_FLAGS.has(name);
  return known.alone.has(argument) || known.withValue.has(name);
}

/** Returns the flag's name alone, because a value may hold anything. */
function shown(argument: string): string {
  const [name = ''] = argument.split('=', 1);
  return /^--?[A-Za-z0-9-]{1,32}$/.test(name) ? name : '-';
}
