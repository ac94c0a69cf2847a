// A thread with files in a separate data home, and the form of its failures.
import { join } from 'node:path';
import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { createWorkspaceFiles, type WorkspaceFiles } from '../../src/workspace/workspace-files.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const NOTES = '/mnt/user-data/workspace/NOTES.md';
export const WHOLE = { maxCharacters: 50_000 };

export async function openThread() {
  const dataHome = await temporaryFolder();
  const filesOf = createWorkspaceFiles({ dataHome });
  const folder = join(dataHome, 'users', 'ada', 'threads', 't1');
  const workspace = join(folder, 'user-data', 'workspace');
  return { dataHome, filesOf, folder, workspace, files: filesOf({ userId: 'ada', threadId: 't1' }) };
}

export async function textOf(files: WorkspaceFiles, path: string): Promise<string> {
  const slice = await files.readText(path, WHOLE);
  return slice.kind === 'text' ? slice.text : slice.kind;
}

/** Returns the failure of a call, which must be a sentence without a real path. */
export async function failureOf(call: Promise<unknown>, dataHome: string): Promise<ServiceError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError))
    throw new Error('The call did not fail as it should', { cause: error });
  expect(error.detail).not.toContain(dataHome);
  expect(error.detail).not.toContain('/proc/');
  return error;
}
