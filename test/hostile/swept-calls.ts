// Calls of every tool that succeed and fail in the ways that name files: what they answer must name none of the machine.
import type { ToolCallAnswer } from '../support/model-server/answer.ts';

const WORKSPACE = '/mnt/user-data/workspace';

const PATHS = [
  WORKSPACE,
  `${WORKSPACE}/`,
  '/mnt/user-data',
  `${WORKSPACE}/a.txt`,
  `${WORKSPACE}/a.txt/below`,
  `${WORKSPACE}/nothing`,
  `${WORKSPACE}/folder`,
  `${WORKSPACE}/broken.png`,
  `${WORKSPACE}/bytes.bin`,
  `${WORKSPACE}/link`,
  `${WORKSPACE}/link/outside`,
  `${WORKSPACE}/twin`,
  `${WORKSPACE}/${'x'.repeat(255)}`,
  `${WORKSPACE}/${'é'.repeat(120)}/${'y'.repeat(250)}`,
  '/mnt/user-data/outputs/none.md',
  '/etc/passwd',
  '..',
  '',
];

const SCRIPTS = [
  `cat nothing; ls ${WORKSPACE}/none; cd none; ./none; none; cat < none; source none.sh; echo x > none/b; exit 3`,
  'pwd; pwd -P; readlink -f .; cd ../outputs && pwd -P; echo $PWD $OLDPWD $HOME $0 $BASH_SOURCE; env; set',
  'cat /proc/self/mountinfo /proc/mounts /proc/self/maps /proc/self/cmdline /proc/self/environ',
  'ls -l /proc/self/cwd /proc/self/exe /proc/self/fd; df .; df -a; findmnt -T .; stat .',
  'python3 -c "open(\'none\')"; python3 none.py; python3 -c "import os, sys; print(os.getcwd(), os.path.realpath(\'.\'), sys.path)"',
  "printf 'def f():\\n  raise ValueError(1)\\nf()\\n' > trace.py; python3 trace.py",
  'perl -e "open(F, q(none)) or die $!"; perl none.pl; awk -f none; sed -f none; sqlite3 none/x.db "select 1"; jq . none.json',
  'tar xf none.tar; tar cf all.tar .; tar tvf all.tar; grep -r x none; find . ; ln -s loop loop; cat loop; du -a; rm -r none; ls -l',
  'mkdir -p a; cat a; rm a; rmdir none; cp none b; cp -r link copied; cat link/outside; mv none b; rm twin; cat twin; ls -laR /mnt',
  'if then',
  'set -x; ls nothing; declare -p; type ls; command -v bash; trap; jobs',
];

const named = (name: string, args: object): ToolCallAnswer => ({ name, args });

const callsOn = (path: string): readonly ToolCallAnswer[] => [
  named('ls', { path }),
  named('read_file', { path }),
  named('write_file', { path, content: 'x' }),
  named('write_file', { path, content: 'x', append: true }),
  named('str_replace', { path, old_str: 'text', new_str: 'x' }),
  named('glob', { path, pattern: '**/*' }),
  named('grep', { path, pattern: 'x' }),
  named('view_image', { image_path: path }),
  named('present_files', { filepaths: [path] }),
];

const OTHERS = [
  named('glob', { path: WORKSPACE, pattern: '[' }),
  named('grep', { path: WORKSPACE, pattern: '(' }),
  named('web_fetch', { url: 'file:///etc/passwd' }),
  named('web_fetch', { url: 'http://127.0.0.1/' }),
  named('web_fetch', { url: 'http://name.invalid/' }),
  named('none', {}),
  named('ls', { path: 7 }),
  named('task', { description: 'd', prompt: 'p', subagent_type: 'none' }),
];

const commands = (scripts: readonly string[]) => scripts.map((command) => named('bash', { command }));

export const FILE_CALLS: readonly ToolCallAnswer[] = [...PATHS.flatMap(callsOn), ...OTHERS];

/** Of one answer of the model each: commands that run beside each other see the files of each other. */
export const COMMANDS: readonly (readonly ToolCallAnswer[])[] = [
  commands(SCRIPTS.slice(0, 4)),
  commands(SCRIPTS.slice(4, 8)),
  commands(SCRIPTS.slice(8)),
];

/** For when nothing works anyway. */
export const FEW_CALLS: readonly ToolCallAnswer[] = [
  ...PATHS.slice(0, 4).flatMap(callsOn),
  ...commands(['ls -laR /mnt; pwd; echo x > new.txt']),
];
