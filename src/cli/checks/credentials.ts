// The generated administrator: was it ever used?
import { createInitialCredentials } from '../../auth/initial-credentials.ts';
import type { Finding } from '../finding.ts';

export async function checkCredentials(dataHome: string): Promise<readonly Finding[]> {
  const file = createInitialCredentials(dataHome);
  try {
    if ((await file.read()) === undefined) return [];
  } catch {
    return [
      {
        verdict: 'problem',
        subject: 'accounts',
        message: `${file.path} cannot be read.`,
        fix: 'Give the file to the user that runs the service.',
      },
    ];
  }
  return [
    {
      verdict: 'note',
      subject: 'accounts',
      message: 'The administrator still has the generated password.',
      fix: `Sign in with what ${file.path} says and choose another one.`,
    },
  ];
}
