// Requirements of the sandbox, by the ids that tests cite.
export const sandboxRequirements = {
  'sandbox.files':
    "A command starts in the workspace, sees the thread's folders under /mnt/user-data, and can write there.",
  'sandbox.read_only':
    "A command can read its user's folders beside the thread's but change nothing in them, and their links lead nowhere.",
  'sandbox.outcome': 'The output of both streams and the exit code of a command are reported.',
  'sandbox.others':
    'Files of other threads and users and the data home are absent; links lead nowhere outside.',
  'sandbox.environment': "The service's environment, secrets and processes are not visible (hostile.S48).",
  'sandbox.system':
    'The system cannot be changed, and devices, mounts and other privileges are refused (hostile.S48).',
  'sandbox.network':
    'There is no network unless it is allowed; then a command in bubblewrap reaches public addresses on web ports, through its own proxy, and nothing else.',
  'sandbox.network.limits':
    "A command's proxy serves 64 connections at once, one request each, at a limited rate, and closes silent ones.",
  'sandbox.network.own': "The machine's own addresses count as internal, even if they are public.",
  'sandbox.probe':
    'A probe that timed out is repeated; until it succeeds all protections are used, and strict refuses to start.',
  'sandbox.start': 'A command that cannot be started fails with a sentence, and the next one runs.',
  'sandbox.timeout': 'A command that takes too long is killed with everything that it started.',
  'sandbox.cancel': 'A cancelled command is killed within a second, with everything that it started.',
  'sandbox.alone':
    'A command sees no variables, functions, folders or loose files that an earlier one left in its shell.',
  'sandbox.background': 'Processes that a command leaves running end with it.',
  'sandbox.output': 'A command with too much output is killed; output arrives while the command runs.',
  'sandbox.memory':
    'A command that uses too much memory of any kind fails or is killed; the service keeps running.',
  'sandbox.filter':
    'A sandboxed process can make the system calls of ordinary programs; those that could affect the machine are refused (hostile.S48).',
  'sandbox.groups':
    'Where the kernel lets the service create control groups, each command has its own, which is removed with it.',
  'sandbox.processes': 'A fork bomb is killed; the service keeps running.',
  'sandbox.cpu': 'A program that exceeds its processor time is killed.',
  'sandbox.disk': 'A file cannot grow beyond the limit, and no command runs while the disk is nearly full.',
  'sandbox.quota': 'A command whose files exceed the quota is killed; one that only removes files continues.',
  'sandbox.paths': 'The output of a command names no folder of the machine.',
  'sandbox.choice':
    'The configuration chooses the sandbox; auto uses bubblewrap where it works, otherwise the virtual shell.',
  'sandbox.container':
    'Containers have no privileges and see one thread; when they end or are left over, they are removed.',
  'sandbox.strict':
    'With sandbox.require: strict the service starts only if everything that confines commands is available; otherwise it names what is missing.',
  'sandbox.gaps':
    'The doctor, the log at the start and GET /api/admin/machine, for administrators only, report what is missing to confine commands.',
  'sandbox.host':
    'Commands run on the machine itself only with allow_host, which the log and the doctor report.',
  'tools.bash': 'bash returns the output of a command and how it ended, in words for the model.',
  'tools.bash.long': 'Long output is shown as its beginning and its end, and stored in a file of the thread.',
  'tools.bash.progress': 'Output is sent as custom events while the command runs.',
  'tools.bash.cancel': 'Cancelling the run kills the command.',
} as const;
