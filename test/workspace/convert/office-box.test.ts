// The configuration of LibreOffice before it reads an old document, and what an attacker inside it could
// reach. A program takes its place and reports both, so that no LibreOffice is needed.
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { REFUSED } from '../../../src/processes/seccomp/system-calls.ts';
import { boxedCommand } from '../../../src/workspace/convert/conversion-command.ts';
import { conversionOptionsSchema } from '../../../src/workspace/convert/conversion-options.ts';
import { createProcessConverter } from '../../../src/workspace/convert/process-converter.ts';
import { testConfinement } from '../../support/confinement.ts';
import { docxOf } from '../../support/documents/docx.ts';

const OLD = fileURLToPath(new URL('../../documents/farm.doc', import.meta.url));
const options = conversionOptionsSchema.parse({});
const box = await testConfinement();

let folder: string;
let server: Server;
let asked = 0;
beforeAll(async () => {
  // Not in /tmp, because the box has its own.
  folder = await mkdtemp('/var/tmp/office-box-');
  for (const name of ['yes', 'no'])
    await writeFile(join(folder, `${name}.docx`), await docxOf([{ kind: 'paragraph', text: name }]));
  server = createServer((_, response) => {
    asked += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/**
 * Returns the text of a document that reports whether the bash condition `test` holds in LibreOffice's place.
 */
async function found(test: string): Promise<string> {
  const program = join(folder, 'soffice');
  const script = `#!/bin/bash
if ${test}; then said=yes; else said=no; fi
cp ${folder}/$said.docx /tmp/office/document.docx
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  const converter = createProcessConverter({
    options,
    command: (task) => boxedCommand(task, { ...options, box, libreOffice: { program, folder } }),
  });
  const file = await open(OLD);
  try {
    const signal = new AbortController().signal;
    const outcome = await converter.convert({ userId: 'ada', fd: file.fd, extension: '.doc', signal });
    return outcome.kind === 'converted' ? outcome.markdown.trim() : outcome.reason;
  } finally {
    await file.close();
  }
}

const PROFILE = '/tmp/office/profile/user/registrymodifications.xcu';

describe.runIf(box.bubblewrap.works)('LibreOffice', { timeout: 60_000 }, () => {
  it('[hostile.S13] runs with the document and no arguments other than those of a conversion', async () => {
    expect(await found('[ "$1" = --headless ] && [ -s /tmp/office/document.doc ]')).toBe('yes');
    expect(
      await found('[[ "$*" = *"-env:UserInstallation=file:///tmp/office/profile --convert-to docx "* ]]'),
    ).toBe('yes');
  });

  it('[hostile.S13] has no macros, no active content and no links to update', async () => {
    const settings = [
      ['Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
      ['Common/Security/Scripting', 'MacroSecurityLevel', '3'],
      ['Common/Security/Scripting', 'DisableActiveContent', 'true'],
      ['Writer/Content/Update', 'Link', '0'],
      ['Calc/Content/Update', 'Link', '2'],
    ].map(
      ([path, name, value]) =>
        `<item oor:path="/org.openoffice.Office.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value>`,
    );
    const all = settings.map((item) => `grep -qF '${item}' ${PROFILE}`).join(' && ');
    expect(await found(all)).toBe('yes');
    expect(await found(all.replace('>true<', '>false<'))).toBe('no');
  });

  it('[hostile.S13] reaches no network, no files, no environment, and leaves nothing, even if code runs', async () => {
    const { port } = server.address() as AddressInfo;
    process.env.OFFICE_CANARY = 'CANARY';
    onTestFinished(() => void delete process.env.OFFICE_CANARY);
    expect(await found(`(echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null`)).toBe('no');
    expect(await found(`touch ${folder}/written /usr/written /app/written 2>/dev/null`)).toBe('no');
    expect(await found(`ls ${process.cwd()} /home /root /etc/passwd >/dev/null 2>&1`)).toBe('no');
    expect(await found('env | grep -q CANARY')).toBe('no');
    expect(await found('(: >> /proc/sys/kernel/core_pattern) 2>/dev/null')).toBe('no');
    expect(await found('[ -n "$(cat /proc/keys /proc/kallsyms)" ]')).toBe('no');
    if (box.filter.kind === 'usable') {
      // `keyctl` needs no privilege, so that its failure comes from the filter.
      const { x64, arm64 } = REFUSED.keyctl;
      const keyctl = process.arch === 'x64' ? x64 : arm64;
      expect(await found(`[ "$(perl -e 'syscall(${keyctl}, 0, -3, 0); print $! + 0')" = 1 ]`)).toBe('yes');
    }
    expect(await found('[ -e /tmp/left ]; touch /tmp/left; [ -e /tmp/left ]')).toBe('yes');
    expect(await found('[ -e /tmp/left ]')).toBe('no');
    expect(asked).toBe(0);
  });
});
