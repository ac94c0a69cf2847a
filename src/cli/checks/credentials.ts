// Checks whether the generated administrator was ever used.
import { createInitialCredentials } from '../../auth/initial-credentials.ts';
import { type Finding, findingsOn } from '../finding.ts';

const { note, problem } = findingsOn('accounts');

export async function checkCredentials(dataHome: string): Promise<readonly Finding[]> {
  const file = createInitialCredentials(dataHome);
  try {
    if ((await file.read()) === undefined) return [];
  } catch {
    return [
      problem(`${file.path} cannot be read.`, 'Make the user that runs the service the owner of the file.'),
    ];
  }
  return [
    note(
      'The administrator still uses the generated password.',
      `Sign in with the credentials in ${file.path} and choose another one.`,
    ),
  ];
}
