// Shipped skills for analysis, with a scripted model: research, data, code, meetings.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../docs/documents.ts';
import { openSkillRuns, programsRun, type SkillRuns } from '../../support/skill-run.ts';

const canRun = await programsRun();

let runs: SkillRuns;
beforeAll(async () => {
  runs = await openSkillRuns();
});
afterAll(() => runs.close());

const linesOf = (said: string) => said.trim().split('\n');

describe.skipIf(!canRun)('findings of skills', () => {
  it('[shipped-skills.deep-research] marks and sources are checked, then joined and renumbered', async () => {
    expect(await runs.read('deep-research')).toContain('check_sources.py');
    const text = 'Tea rose by 4 % in 2025 [3]. Others say 5 % [1, 2]; `list[9]` is no mark.';
    const sources = [
      '[1] A. 2024. https://www.example.org/tea/?utm_source=mail',
      '[2] B. 2024. https://example.org/tea',
      '[3] C. 2025. https://example.com/rise',
      '[4] D. https://example.com/other',
    ];
    await runs.write('research.md', `# Tea\n\n${text}\n\n## Sources\n\n${sources.join('\n\n')}\n`);
    const check = 'python3 $S/check_sources.py research.md';
    expect(linesOf(await runs.run('deep-research', check, 1))).toEqual([
      '[4] is a source that nothing cites',
      '[2] has the same address as [1]',
      '[4] has no date: add when it was published or read',
      '4 sources, 3 problems, 0 paragraphs to look at',
    ]);
    await runs.run('deep-research', `${check} --fix ../outputs/research.md`);
    expect(await runs.presentText('research.md')).toBe(
      [
        '# Tea\n\nTea rose by 4 % in 2025 [1]. Others say 5 % [2]; `list[9]` is no mark.\n\n## Sources\n',
        '[1] C. 2025. https://example.com/rise\n',
        '[2] A. 2024. https://www.example.org/tea/?utm_source=mail\n',
      ].join('\n'),
    );
    await runs.write('lost.md', 'So it is [7].\n\n## Sources\n\n[1] A. 2024. https://example.org\n');
    expect(await runs.run('deep-research', 'python3 $S/check_sources.py lost.md', 1)).toMatch(
      /^\[7\] is cited and is no source in the list$/m,
    );
  });

  it('[shipped-skills.data-analysis] a table is profiled, grouped and drawn', async () => {
    expect(await runs.read('data-analysis')).toContain('profile_table.py');
    const rows = [
      '2026-01-03;Berlin;1.200,50',
      '2026-01-14;berlin;980,00',
      '2026-02-01;Paris;1.100,25',
      '2026-02-11;Paris;n/a',
      '2026-03-01;Rome;99.000,00',
      '2026-03-05;Rome;990,10',
      '2026-03-05;Rome;990,10',
    ];
    await runs.upload({ 'sales.csv': `date;city;amount\n${rows.join('\n')}\n` });
    const profile = await runs.run('data-analysis', 'python3 $S/profile_table.py ../uploads/sales.csv');
    expect(profile).toContain('7 rows, 3 columns.');
    expect(profile).toMatch(/\| amount \| number \| 1 \| 5 \| 980 \| 1045.17 \| /);
    expect(profile).toContain('1 values are spelled in several ways, such as Berlin / berlin');
    expect(profile).toContain('outliers beyond 1.5 times the interquartile range: 99000 (row 6)');
    expect(profile).toContain('1 rows are repetitions of others');

    const group = 'python3 $S/group_table.py ../uploads/sales.csv --by date:month --value amount';
    expect(await runs.run('data-analysis', `${group} --csv month.csv && cat month.csv`)).toContain(
      'date:month,count,sum,mean\r\n2026-01,2,2180.5,1090.25\r\n2026-02,1,1100.25,1100.25\r\n',
    );
    const draw = 'python3 $S/draw_chart.py bar month.csv ../outputs/sales.svg --x date:month --y sum';
    await runs.run('data-analysis', `${draw} --title "Sales < March"`);
    const chart = await runs.presentText('sales.svg');
    expect(chart).toContain('<title>Sales &lt; March</title>');
    expect(chart.match(/<rect [^>]*fill="#0072B2"/g)).toHaveLength(3);

    await runs.write('analysis.md', '# Sales\n\n![Sales by month](/mnt/user-data/outputs/sales.svg)\n');
    await runs.run('report-writing', 'python3 $S/make_pdf.py analysis.md ../outputs/analysis.pdf');
    const [upload] = await runs.upload({ 'analysis.pdf': await runs.present('analysis.pdf') });
    const folder = `/api/threads/${runs.threadId}/artifacts/mnt/user-data/uploads`;
    const read = await (await runs.client.get(`${folder}/${upload?.markdown_file}`)).text();
    for (const words of ['Sales < March', '2026-02', 'Sales by month']) expect(read).toContain(words);
    const word = await runs.run('report-writing', 'python3 $S/make_docx.py analysis.md analysis.docx', 1);
    expect(word).toMatch(/^Error: The picture \S+ is SVG, which only the PDF shows/);
    await runs.run(
      'report-writing',
      'echo \'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g/></svg>\' > g.svg',
    );
    await runs.write('group.md', '![A group](g.svg)\n');
    expect(await runs.run('report-writing', 'python3 $S/make_pdf.py group.md group.pdf', 1)).toContain(
      'Error: The picture g.svg has <g> in a way that the PDF cannot draw: give a PNG of it.',
    );
  });

  it('[shipped-skills.data-analysis] a workbook is read by its values', async () => {
    const workbook = await readFile(join(ROOT, 'test/documents/sheets.xlsx'));
    await runs.upload({ 'sheets.xlsx': workbook });
    const profile = await runs.run('data-analysis', 'python3 $S/profile_table.py ../uploads/sheets.xlsx');
    expect(profile).toContain("Sheet 'Sales' of 2: Sales, Käse.");
    expect(profile).toMatch(/\| Day \| date \| 0 \| 2 \| 2026-03-01 00:00:00 \|/);
    expect(profile).toMatch(/\| Price \| number \| 0 \| 2 \| 1.25 \| 2.375 \|/);
  });

  it('[shipped-skills.code-review] a patch is listed, with the lines to inspect, without the secret', async () => {
    expect(await runs.read('code-review')).toContain('collect_changes.py');
    const patch = [
      '--- a/src/user.js',
      '+++ b/src/user.js',
      '@@ -1,2 +1,4 @@',
      ' const db = open();',
      '--- not a header',
      '+const password = "tr0ub4dor&3xyz";',
      `+db.run("select * from users where name = '" + name + "'");`,
      '+try { go(); } catch (error) {}',
      '--- a/old.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
    ];
    await runs.upload({ 'change.patch': `${patch.join('\n')}\n` });
    const found = await runs.run(
      'code-review',
      'python3 $S/collect_changes.py --diff ../uploads/change.patch',
    );
    expect(found).toContain('2 files, 3 lines added, 2 removed.');
    expect(found).toContain('| src/user.js | modified | 3 | 1 |\n| old.txt | deleted | 0 | 1 |');
    expect(found).toContain('- Code changed and no test did.');
    for (const line of ['user.js:2` **secret**', 'user.js:3` **sql**', 'user.js:4` **swallowed error**'])
      expect(found).toContain(line);
    expect(found).not.toContain('tr0ub4dor');

    const folders =
      'mkdir -p before after && echo "a = 1" | tee before/a.py > after/a.py && echo "eval(x)" > after/b.py';
    const compared = await runs.run(
      'code-review',
      `${folders} && python3 $S/collect_changes.py before after`,
    );
    expect(compared).toContain('| b.py | added | 1 | 0 |');
    expect(compared).toContain('1 files, 1 lines added, 0 removed.');
    expect(compared).toContain('b.py:1` **code from text**');
  });

  it.each([
    [
      'vtt',
      'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ana>Good morning.</v>\n\n00:00:04.500 --> 00:00:09.000\n<v Ana>The offer is due.</v>\n\n00:01:00.000 --> 00:01:04.000\n<v Bo>I write &amp; send it.</v>\n',
    ],
    [
      'srt',
      '1\n00:00:01,000 --> 00:00:04,000\nAna: Good morning.\n\n2\n00:00:04,500 --> 00:00:09,000\nAna: The offer is due.\n\n3\n00:01:00,000 --> 00:01:04,000\nBo: I write & send it.\n',
    ],
    ['txt', '[00:00:01] Ana: Good morning.\nThe offer is due.\nBo (00:01:00): I write & send it.\n'],
  ])('[shipped-skills.meeting-notes] a transcript becomes turns: .%s', async (kind, transcript) => {
    expect(await runs.read('meeting-notes')).toContain('read_transcript.py');
    await runs.write(`meeting.${kind}`, transcript);
    await runs.run('meeting-notes', `python3 $S/read_transcript.py meeting.${kind} ../outputs/${kind}.md`);
    const turns = await runs.presentText(`${kind}.md`);
    expect(turns).toContain('2 turns, 11 words');
    expect(turns).toContain('[0:00:01] **Ana**: Good morning. The offer is due.');
    expect(turns).toContain('[0:01:00] **Bo**: I write & send it.');
  });

  it('[shipped-skills.meeting-notes] actions need a participant, and times that occurred', async () => {
    await runs.write('call.txt', '[00:00:01] Ana: We need the offer.\n[00:01:00] Bo: I write it.\n');
    const notes = (...rows: string[]) =>
      `## Actions\n\n| What | Who | Until |\n|---|---|---|\n${rows.join('\n')}\n`;
    const check = 'python3 $S/check_notes.py notes.md call.txt';
    await runs.write('notes.md', notes('| Write the offer [0:01:00] | Bo | open |'));
    expect(await runs.run('meeting-notes', check)).toBe('0 problems\n');
    const bad = notes('| Send it [0:09:00] | Zed | open |', '| Read it | | |');
    await runs.run('meeting-notes', `cat > notes.md <<'END'\n${bad}END`);
    expect(linesOf(await runs.run('meeting-notes', check, 1))).toEqual([
      'line 5: Zed is named nowhere in the transcript',
      'line 6: an action needs what, who and until when (`open` where nobody said it)',
      'line 5: the time [0:09:00] is outside of the meeting',
      '3 problems',
    ]);
  });
});
