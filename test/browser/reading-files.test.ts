// How the app reads files and what tools say of them: kinds, sizes, texts, commands, differences, uploads.
import { describe, expect, it } from 'vitest';
import { readSentFiles } from '../../web/src/api/sent-message.ts';
import { createCommandOutput } from '../../web/src/conversation/command-output.ts';
import { linesOfChange, linesOfPatch } from '../../web/src/diff/diff-line.ts';
import { kindOf, sizeText } from '../../web/src/files/file-kind.ts';
import { readText } from '../../web/src/files/file-text.ts';
import { plainOutput, readCommandResult } from '../../web/src/tool-cards/command-text.ts';

describe('files', () => {
  it('[web.files.viewers] are known by their names', () => {
    const names = [
      'a.MD',
      'b.csv',
      'c.tar.gz',
      'd',
      '.env',
      'e.svg',
      'f.html',
      'g.py',
      'h.pdf',
      'i.mp4',
      'j.XLSX',
    ];
    expect(names.map(kindOf)).toEqual([
      'markdown',
      'table',
      'other',
      'other',
      'text',
      'image',
      'html',
      'code',
      'pdf',
      'media',
      'workbook',
    ]);
  });

  it('[web.files] have sizes that people read', () => {
    expect([0, 1_023, 1_024, 10_000, 1_048_575, 5.3 * 1_048_576].map(sizeText)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KB',
      '9.8 KB',
      '1.0 MB',
      '5.3 MB',
    ]);
  });

  it('[web.files.edit] can be edited only if they are valid text', () => {
    const content = (bytes: readonly number[], more: { isWhole?: boolean; mediaType?: string } = {}) =>
      readText({ bytes: Uint8Array.from(bytes), isWhole: true, mediaType: '', ...more });
    expect(content([0xef, 0xbb, 0xbf, 0x41])).toEqual({ kind: 'text', text: '\uFEFFA' });
    expect(content([0x41, 0xc3], { isWhole: false })).toEqual({ kind: 'text', text: 'A' });
    expect(content([0x41, 0xe4])).toEqual({ kind: 'binary' });
    expect(content([0x41, 0xe4], { mediaType: 'text/plain' })).toEqual({ kind: 'rough', text: 'Aä' });
    expect(content([0x41, 0])).toEqual({ kind: 'binary' });
  });

  it('[web.upload] of a message are read, and other entries are ignored', () => {
    const file = { filename: 'a.md', size: 1, path: '/mnt/user-data/uploads/a.md', status: 'uploaded' };
    expect(readSentFiles([file, { filename: 7 }, 'b.md'])).toMatchObject([{ filename: 'a.md', size: 1 }]);
    expect(readSentFiles({ 0: file })).toEqual([]);
  });
});

describe('what a command says', () => {
  it('[web.command] comes in pieces, each to its own card', () => {
    const output = createCommandOutput();
    const woken: string[] = [];
    output.subscribe('c1', () => woken.push('c1'));
    const tell = (id: string, stream: string, text: string) =>
      output.onEvent({ type: 'command_output', tool_call_id: id, stream, text });
    tell('c1', 'stdout', 'a');
    tell('c2', 'stdout', 'x');
    tell('c1', 'stdout', 'b');
    tell('c1', 'stderr', '!');
    output.onEvent({ type: 'task_started', task_id: 'c1' });
    expect(output.of('c1')).toEqual([
      { stream: 'stdout', text: 'ab' },
      { stream: 'stderr', text: '!' },
    ]);
    expect(woken).toHaveLength(3);
  });

  it('[web.command] is shown without terminal control characters', () => {
    const esc = '\u001b';
    expect(plainOutput(`${esc}[1;32mok${esc}[0m ${esc}]0;title\u0007done`)).toBe('ok done');
    expect(plainOutput('10%\r50%\r100%\nnext\r\nlast')).toBe('100%\nnext\nlast');
  });

  it('[web.command] ends with an exit code, or with the reason why it was stopped', () => {
    expect(readCommandResult('a\nStd Error:\nb\nExit Code: 2')).toEqual({
      pieces: [
        { stream: 'stdout', text: 'a\n' },
        { stream: 'stderr', text: 'b' },
      ],
      ending: 'Exit code 2',
      wholeOutput: undefined,
    });
    expect(readCommandResult('(no output)')).toMatchObject({ pieces: [], ending: undefined });
    expect(readCommandResult('x\nError: The command was cancelled.').ending).toBe(
      'The command was cancelled.',
    );
    const kept =
      '(The output is long; all that was kept of it is in /mnt/user-data/outputs/.tool-results/bash-1.log. Read it with read_file, or search it.)';
    expect(readCommandResult(`start\n${kept}\nExit Code: 1`)).toEqual({
      pieces: [{ stream: 'stdout', text: 'start' }],
      ending: 'Exit code 1',
      wholeOutput: '/mnt/user-data/outputs/.tool-results/bash-1.log',
    });
  });
});

describe('differences', () => {
  it('[web.diff] are shown line by line', () => {
    const kinds = (lines: ReturnType<typeof linesOfChange>) =>
      lines.map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds(linesOfChange('a\nb\nc', 'a\nB\nc'))).toEqual(['same a', 'removed b', 'added B', 'same c']);
    const patch =
      '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ head\n same\n-- minus\n+plus\n@@ -30 +31 @@\n+end\n\\ No newline at end of file\n';
    expect(kinds(linesOfPatch(patch))).toEqual([
      'same same',
      'removed - minus',
      'added plus',
      'place Line 31',
      'added end',
    ]);
  });
});
