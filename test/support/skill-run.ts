// A thread in which the model follows a shipped skill: it reads SKILL.md and calls the tools that the skill
// names.
import { access, constants } from 'node:fs/promises';
import { expect } from 'vitest';
import { testConfinement } from './confinement.ts';
import { jsonOf } from './json-of.ts';
import type { ToolCallAnswer } from './model-server/answer.ts';
import { openToolRuns, type ToolRuns } from './tool-run.ts';
import { sendFiles, type UploadJson } from './upload.ts';

export interface SkillRuns extends Pick<ToolRuns, 'test' | 'client' | 'threadId' | 'call' | 'close'> {
  /** Returns the instructions as the model reads them. */
  read(skill: string): Promise<string>;
  /** Uploads files as a person does; they are in `/mnt/user-data/uploads`. */
  upload(files: Readonly<Record<string, string | Uint8Array>>): Promise<readonly UploadJson[]>;
  /** Writes a file of the workspace with a tool. */
  write(name: string, content: string): Promise<void>;
  /**
   * Runs a command in the workspace and returns its output; checks its status. `$S` is the folder of the
   * skill's programs.
   */
  run(skill: string, command: string, status?: number): Promise<string>;
  /** Presents a file of the outputs and downloads it. */
  present(name: string): Promise<Buffer>;
  presentText(name: string): Promise<string>;
}

/**
 * Whether programs of skills run. They are written in Python, which the sandbox has if the system does. When
 * everything is tested, they must.
 */
export async function programsRun(): Promise<boolean> {
  const { bubblewrap } = await testConfinement();
  const hasPython = await access('/usr/bin/python3', constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!hasPython && process.env.CI) throw new Error('Python does not work: apt-get install python3.');
  return bubblewrap.works && hasPython;
}

/** Opens a service with one person and one thread. */
export async function openSkillRuns(): Promise<SkillRuns> {
  const runs = await openToolRuns({
    config: { skills: {}, uploads: { conversion: { wait_seconds: 80 } } },
  });
  const { test, client, threadId, call, close } = runs;
  const artifacts = `/api/threads/${threadId}/artifacts/mnt/user-data/outputs`;

  async function succeed(wanted: ToolCallAnswer): Promise<string> {
    const [result] = await call(wanted);
    expect(result, JSON.stringify(wanted)).toMatchObject({ status: 'success' });
    return result?.text ?? '';
  }

  async function present(name: string): Promise<Buffer> {
    await succeed({
      name: 'present_files',
      args: { filepaths: [`/mnt/user-data/outputs/${name}`] },
    });
    const answer = await client.get(`${artifacts}/${name}?download=true`);
    expect(answer.status, name).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  return {
    test,
    client,
    threadId,
    call,
    close,
    present,
    presentText: async (name) => (await present(name)).toString('utf8'),
    read: (skill) => succeed({ name: 'read_file', args: { path: `/mnt/skills/public/${skill}/SKILL.md` } }),
    async upload(files) {
      const toSend = Object.entries(files).map(([name, content]) => ({ name, content }));
      return (await jsonOf<{ files: UploadJson[] }>(sendFiles(client, threadId, toSend))).files;
    },
    async write(name, content) {
      await succeed({ name: 'write_file', args: { path: `/mnt/user-data/workspace/${name}`, content } });
    },
    async run(skill, command, status = 0) {
      const script = `S=/mnt/skills/public/${skill}/scripts\n(${command}\n) 2>&1\necho "status $?"`;
      const said = await succeed({ name: 'bash', args: { command: script } });
      expect(said).toMatch(new RegExp(`status ${status}$`, 'u'));
      return said.slice(0, said.lastIndexOf('status '));
    },
  };
}
