// An old office document as a new one, by LibreOffice, which runs in this process's box and is gone with it.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { broken } from './unreadable.ts';

export type OldExtension = '.doc' | '.xls' | '.ppt';

const FOLDER = '/tmp/office';
const PROFILE = `${FOLDER}/profile`;
const NEW = { '.doc': 'docx', '.xls': 'xlsx', '.ppt': 'pptx' } as const;
const KINDS = {
  '.doc': 'Word document',
  '.xls': 'Excel workbook',
  '.ppt': 'PowerPoint presentation',
} as const;

/** No macros, whoever signed them, and nothing fetched that a document refers to. */
const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
];

/** Throws `Unreadable` when LibreOffice cannot read it. It says nothing of that by its exit code. */
export async function inNewFormat(bytes: Buffer, extension: OldExtension, program: string): Promise<Buffer> {
  const source = `${FOLDER}/document${extension}`;
  await mkdir(`${PROFILE}/user`, { recursive: true });
  await writeFile(`${PROFILE}/user/registrymodifications.xcu`, settings());
  await writeFile(source, bytes);
  await run(program, [
    ...['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck'],
    `-env:UserInstallation=file://${PROFILE}`,
    ...['--convert-to', NEW[extension], '--outdir', FOLDER, source],
  ]);
  return readFile(`${FOLDER}/document.${NEW[extension]}`).catch(() => {
    throw broken(KINDS[extension]);
  });
}

function run(program: string, args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile(program, args, { env: { PATH: '/usr/bin:/bin', HOME: FOLDER, LANG: 'C.UTF-8' } }, () => resolve());
  return promise;
}

function settings(): string {
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('')}</oor:items>
`;
}
