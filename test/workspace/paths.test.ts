// The virtual paths: which are accepted or refused, and their real paths.
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import {
  AREAS,
  parseFilePath,
  parseVirtualPath,
  threadFolderNames,
  toRealPath,
  toVirtualPath,
} from '../../src/workspace/paths.ts';

const HOME = '/srv/data-home';
const PLACE = { userId: 'user-1', threadId: 'thread-1' };
const ROOT = join(HOME, 'users', 'user-1', 'threads', 'thread-1', 'user-data');

function refusal(path: string): ServiceError | undefined {
  try {
    parseVirtualPath(path);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

describe('the layout', () => {
  it('[workspace.layout.user] puts the files of a known user under users/<user>/threads/<thread>', () => {
    const path = parseVirtualPath('/mnt/user-data/workspace/a/b.txt');
    expect(toRealPath(HOME, PLACE, path)).toBe(join(ROOT, 'workspace', 'a', 'b.txt'));
  });

  it('[workspace.layout.legacy] omits the user segment when there is no user', () => {
    expect(threadFolderNames({ userId: null, threadId: 't' })).toEqual(['threads', 't']);
  });

  it.each(['', '../x', 'a/b', 'a'.repeat(65), '%00', 'é', 'a\0', '.', '..'])(
    '[workspace.ids] refuses the thread id %j before the file system sees it',
    (threadId) => {
      expect(() => threadFolderNames({ userId: 'u', threadId })).toThrow(/thread_id must match/);
      expect(() => threadFolderNames({ userId: threadId, threadId: 't' })).toThrow(/user_id must match/);
    },
  );
});

describe('refused paths', () => {
  it.each([
    '',
    '/',
    'NOTES.md',
    './NOTES.md',
    '/etc/passwd',
    '/mnt',
    '/mnt/user-data2/workspace/x',
    '/mnt/user-data/other/x',
    '/mnt/user-data/../../etc/passwd',
    '/mnt/user-data/workspace/..',
    '/mnt/user-data/workspace/../uploads/x',
    '/mnt/user-data/workspace/./x',
    '/mnt/user-data/workspace//x',
    '/mnt/user-data/workspace/x//',
    '//mnt/user-data/workspace/x',
    '/mnt/user-data/workspace/..\\..\\x',
    '/mnt/user-data/workspace\\x',
    'C:\\Windows\\win.ini',
    'C:/mnt/user-data/workspace/x',
    '/mnt/user-data/workspace/C:/x',
    '\\\\?\\C:\\x',
    '/mnt/user-data/workspace/a\0b',
    '/mnt/user-data/workspace/a\r\nb',
    '/mnt/user-data/workspace/a\u0085b',
    '/mnt/user-data/workspace/a\u001b[31m',
    '/mnt/user-data/workspace/\u202egpj.exe',
    '/mnt/user-data/workspace/\ud800',
    `/mnt/user-data/workspace/${'a'.repeat(256)}`,
    `/mnt/user-data/workspace/${'é'.repeat(128)}`,
    `/mnt/user-data/workspace/${'a/'.repeat(70)}x`,
    `/mnt/user-data/workspace/${'a'.repeat(200)}/`.repeat(30),
    '/MNT/USER-DATA/workspace/x',
  ])('[workspace.traversal] refuses strange path no. %# with a sentence', (path) => {
    expect(refusal(path)).toMatchObject({ code: 'invalid', detail: expect.stringMatching(/[.]$/) });
  });

  it('[workspace.traversal] takes percent signs literally: nothing is decoded twice', () => {
    const path = parseVirtualPath('/mnt/user-data/workspace/%2e%2e/%252e');
    expect(path.names).toEqual(['workspace', '%2e%2e', '%252e']);
  });

  it('[workspace.traversal] requires a file name in one of the areas', () => {
    expect(() => parseFilePath('/mnt/user-data/workspace')).toThrow(/folder/);
    expect(() => parseFilePath('/mnt/user-data/workspace/a/')).toThrow(/folder/);
    expect(parseFilePath('/mnt/user-data/outputs/a').names).toEqual(['outputs', 'a']);
  });
});

describe('accepted paths', () => {
  it.each(['a', '.htaccess', '-rf', '$(x)', 'CON', 'trailing. ', '🙂‍↔️', 'ü', 'ab:c', '...', '....'])(
    '[workspace.names] accepts the name %j as a plain name',
    (name) => {
      expect(parseVirtualPath(`/mnt/user-data/workspace/${name}`).names).toEqual([
        'workspace',
        name.normalize('NFC'),
      ]);
    },
  );

  it('[workspace.names] gives a name that can be spelled in two ways one spelling', () => {
    const composed = parseVirtualPath('/mnt/user-data/workspace/\u00fc');
    const decomposed = parseVirtualPath('/mnt/user-data/workspace/u\u0308');
    expect(decomposed).toEqual(composed);
  });
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    'workspace',
    'uploads',
    '\\',
    '\0',
    '%2e',
    'C:',
    ' ',
    'é',
    '~',
  );
  const anyPath = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 8 })), { maxLength: 8 }).map((names) => names.join('/')),
  );

  it('[workspace.traversal] the real path of an accepted path is inside its area', () => {
    fc.assert(
      fc.property(anyPath, (tail) => {
        for (const text of [tail, `/mnt/user-data/${tail}`, `/mnt/user-data/workspace/${tail}`]) {
          if (refusal(text) !== undefined) continue;
          const path = parseVirtualPath(text);
          const real = toRealPath(HOME, PLACE, path);
          const areas = AREAS.map((area) => join(ROOT, area));
          expect(real === ROOT || areas.some((area) => real === area || real.startsWith(area + sep))).toBe(
            true,
          );
          expect(toVirtualPath(HOME, PLACE, real)).toBe(path.text);
        }
      }),
      { seed: 20_261_121, numRuns: 3_000 },
    );
  });

  it('[workspace.virtual] no real path outside the files has a virtual one', () => {
    for (const real of [HOME, join(ROOT, '..'), join(ROOT, 'secret'), '/etc/passwd', `${ROOT}2/workspace`]) {
      expect(toVirtualPath(HOME, PLACE, real)).toBeUndefined();
    }
  });
});
