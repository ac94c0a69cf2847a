// What the sandbox promises, by the ids that tests cite.
export const sandboxRequirements = {
  'sandbox.files':
    "A command begins in the workspace, sees the thread's folders under /mnt/user-data, and writes there.",
  'sandbox.read_only':
    "A command reads its user's folders beside the thread's, changes nothing in them, and their links lead nowhere.",
  'sandbox.outcome': 'What a command says on both streams and its exit code are told.',
  'sandbox.others':
    "Another thread's or user's files and the data home are not there; links lead nowhere outside.",
  'sandbox.environment': "The service's environment, secrets and processes are not seen (hostile.S48).",
  'sandbox.system':
    'The system cannot be changed, and devices, mounts and other privileges are refused (hostile.S48).',
  'sandbox.network':
    'There is no network unless it is allowed; then a command in bubblewrap reaches public addresses on the ports of the web, through a proxy of its own, and nothing else.',
  'sandbox.network.limits':
    'The proxy of a command serves 64 connections at once, one request each, at a pace, and none that says nothing for long.',
  'sandbox.network.own': "The machine's own addresses are inside, also where they are public ones.",
  'sandbox.probe':
    'What did not answer in time when it was tried is tried again; until then all walls are put up, and strict refuses to start.',
  'sandbox.start': 'A command that cannot be started fails with a sentence, and the next one runs.',
  'sandbox.timeout': 'A command that takes too long is killed with everything that it began.',
  'sandbox.cancel': 'A cancelled command is killed within a second, with everything that it began.',
  'sandbox.alone':
    'A command meets nothing that an earlier one left in its shell: variables, functions, folders, loose files.',
  'sandbox.background': 'What a command leaves running ends with it.',
  'sandbox.output': 'A command that says too much is killed; output comes while the command runs.',
  'sandbox.memory':
    'A command that uses too much memory, wherever it holds it, fails or is killed; the service lives on.',
  'sandbox.filter':
    'A boxed process may make the system calls of ordinary programs; those that reach the machine are refused (hostile.S48).',
  'sandbox.groups':
    'Where the kernel lets the service make control groups, each command has one, which goes with it.',
  'sandbox.processes': 'A fork bomb is killed; the service lives on.',
  'sandbox.cpu': 'A program that takes more of the processor than it may is killed.',
  'sandbox.disk': 'A file does not grow beyond the limit, and nothing runs while the disk is nearly full.',
  'sandbox.quota': 'A command whose files go beyond the quota is killed; one that only removes some goes on.',
  'sandbox.paths': 'No folder of the machine is named in what a command says.',
  'sandbox.choice':
    'The sandbox is chosen by configuration; auto takes bubblewrap where it works, else the virtual shell.',
  'sandbox.container':
    'An engine is asked for containers that have no privileges and see one thread; ended or left over, they are removed.',
  'sandbox.strict':
    'With sandbox.require: strict the service starts only where everything that holds commands is there, and names what is missing.',
  'sandbox.gaps':
    'What is missing to hold commands is told by the doctor, in the log at the start, and at GET /api/admin/machine, to administrators only.',
  'sandbox.host':
    'Commands run on the machine itself only with allow_host, which the log and the doctor tell.',
  'tools.bash': 'bash tells what a command said and how it ended, in words for the model.',
  'tools.bash.long': 'Long output is shown as its beginning and its end, and kept in a file of the thread.',
  'tools.bash.progress': 'Output comes as custom events while the command runs.',
  'tools.bash.cancel': 'Cancelling the run kills the command.',
} as const;
