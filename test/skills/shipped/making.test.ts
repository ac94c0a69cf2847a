// Shipped skills that make apps and skills, and the rules for all of them.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../docs/documents.ts';
import { jsonOf } from '../../support/json-of.ts';
import { openSkillRuns, programsRun, type SkillRuns } from '../../support/skill-run.ts';
import { unzipped } from '../../support/zip.ts';

const execute = promisify(execFile);
const canRun = await programsRun();
const SHIPPED = [
  ...['code-review', 'data-analysis', 'deep-research', 'document-comparison', 'meeting-notes'],
  ...['report-writing', 'skill-creator', 'slides', 'translation', 'web-app'],
];

let runs: SkillRuns;
beforeAll(async () => {
  // `npm ci` does this once, but the template may have changed since.
  await execute(process.execPath, [join(ROOT, 'scripts/pack-template.mjs')]);
  runs = await openSkillRuns();
});
afterAll(() => runs.close());

interface SkillJson {
  readonly name: string;
  readonly enabled: boolean;
  readonly license: string;
  readonly category: string;
  readonly content: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the skills that come with the service', () => {
  it('[shipped-skills.listed] are enabled for everybody', async () => {
    const { skills } = await jsonOf<{ skills: SkillJson[] }>(runs.client.get('/api/skills'));
    const shipped = skills.filter(({ category }) => category === 'public');
    expect(shipped.map(({ name }) => name)).toEqual(SHIPPED);
    expect(shipped.filter(({ enabled, license }) => !enabled || license !== 'MIT')).toEqual([]);
    expect(runs.test.complaints).toEqual([]);
  });

  it.each(SHIPPED)('[shipped-skills.listed] %s names only existing files', async (name) => {
    const { content, files } = await jsonOf<SkillJson>(runs.client.get(`/api/skills/${name}`));
    const there = files.map(({ path }) => path);
    const named = content.match(/(?:scripts|references|templates|assets)\/[\w./-]*\w/g) ?? [];
    const isThere = (path: string) => there.some((it) => it === path || it.startsWith(`${path}/`));
    // Omits files of other skills, whose paths it names in examples.
    const own = named.filter((path) => !content.includes(`<name>/${path}`));
    expect(own.filter((path) => !isThere(path))).toEqual([]);
    const programs = [...content.matchAll(/(\w+\.py)\b/g)].map(([, program]) => `scripts/${program}`);
    expect(programs.filter((path) => !there.includes(path))).toEqual([]);
  });
});

describe.skipIf(!canRun)('their programs', () => {
  it('[shipped-skills.help] start in the sandbox and describe themselves', async () => {
    const each = 'for file in /mnt/skills/public/*/scripts/*.py; do grep -q __main__ $file || continue';
    const said = await runs.run('web-app', `${each}; echo "== $file"; python3 $file --help || exit 1; done`);
    const helps = said.split('== ').slice(1);
    const folders = new Set(helps.map((help) => help.split('/')[4]));
    expect([...folders]).toEqual(SHIPPED);
    for (const help of helps) expect(help).toMatch(/^\S+\nusage: [\s\S]+\n\n[A-Z][\s\S]{30}/);
  });

  it('[shipped-skills.bad-input] end with a sentence for invalid input, and write nothing', async () => {
    const cases = [
      'code-review/scripts/collect_changes.py nowhere',
      'data-analysis/scripts/profile_table.py bad.csv --output out',
      'data-analysis/scripts/profile_table.py bad.xlsx --output out',
      'data-analysis/scripts/group_table.py good.csv --by nothing --csv out',
      'data-analysis/scripts/draw_chart.py bar good.csv out.svg --x a --y b',
      'deep-research/scripts/check_sources.py bad.md --fix out',
      'document-comparison/scripts/compare_documents.py bad.md bad.md out.html',
      'meeting-notes/scripts/read_transcript.py bad.md out.md',
      'report-writing/scripts/make_docx.py bad.md out.docx',
      'report-writing/scripts/make_docx.py picture.md out.docx',
      'report-writing/scripts/make_pdf.py bad.md out.pdf',
      'report-writing/scripts/make_pdf.py picture.md out.pdf',
      'skill-creator/scripts/pack_skill.py . out.skill',
      'slides/scripts/make_pptx.py bad.md out.pptx',
      'slides/scripts/make_pptx.py empty.md out.pptx',
      'translation/scripts/check_translation.py bad.md bad.md',
      'web-app/scripts/new_app.py page .',
    ];
    const files = [
      "printf '\\377\\376\\000bad' | tee bad.md bad.csv > bad.xlsx; printf '\\0' > empty.md",
      "printf 'a,b\\nx,y\\n' > good.csv; printf '![no](nowhere.png)\\n' > picture.md",
    ];
    const each = cases.map(
      (command) => `echo "== ${command}"; python3 /mnt/skills/public/${command}; echo "= $?"`,
    );
    const said = await runs.run('web-app', [...files, ...each, 'ls -d out* 2>/dev/null || true'].join('\n'));
    const blocks = said.split('== ').slice(1);
    expect(blocks).toHaveLength(cases.length);
    for (const block of blocks) expect(block).toMatch(/^.+\nError: [^\n]{15,}[.:][\s\S]*= [12]\n$/);
    expect(said).not.toContain('Traceback');
  });

  it('[shipped-skills.web-app] a page and an app start without problems, and broken ones are detected', async () => {
    expect(await runs.read('web-app')).toContain('new_app.py');
    await runs.run(
      'web-app',
      'python3 $S/new_app.py page ../outputs/Tea && python3 $S/new_app.py app ../outputs/shopping',
    );
    expect(await runs.run('web-app', 'python3 $S/check_app.py ../outputs/shopping')).toBe(
      '1 pages, 0 problems\n',
    );
    expect(await runs.presentText('Tea/index.html')).toContain('<title>tea</title>');
    expect(await runs.presentText('shopping/app.js')).toContain("const KEY = 'shopping';");
    const page = [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>',
      '<meta name="viewport" content="width=device-width"><script src="https://cdn.example/x.js"></script></head><body>',
      '<a href="gone.html">x</a><a href="#nowhere">y</a><img src="../../up.png"><input name="q"><div id="a"><p id="a">',
      '</body></html>',
    ];
    await runs.run('web-app', `mkdir broken && cat > broken/index.html <<'END'\n${page.join('\n')}\nEND`);
    const found = await runs.run('web-app', 'python3 $S/check_app.py broken', 1);
    expect(found.trim().split('\n').sort()).toEqual(
      [
        '1 pages, 8 problems',
        "index.html:1: the id 'a' stands 2 times",
        'index.html:2: https://cdn.example/x.js comes from the network: put it into the folder',
        'index.html:3: #nowhere is no id of index.html',
        'index.html:3: ../../up.png leads out of the folder',
        'index.html:3: <div> is not closed',
        'index.html:3: a field without a label',
        'index.html:3: a picture without alt: say what it shows, or alt="" when it only decorates',
        'index.html:3: gone.html leads nowhere',
      ].sort(),
    );
  });

  it('[shipped-skills.web-app.template] a full-stack app is the template with another name', async () => {
    await runs.run('web-app', 'python3 $S/new_app.py full-stack tea-shop');
    const said = await runs.run('web-app', 'cd tea-shop && grep -rl my-app . ; find . -type f | sort');
    const made = said
      .trim()
      .split('\n')
      .map((path) => path.slice(2));
    const left =
      /(^|\/)(node_modules|dist|data|\.env|\.git|schema\.d\.ts|new\.mjs|SKILL\.md|[^/]+\.log)(\/|$)/;
    const entries = await readdir(join(ROOT, 'template'), { recursive: true, withFileTypes: true });
    const template = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, 'template/').length))
      .filter((path) => !left.test(path));
    expect(made.toSorted()).toEqual(template.toSorted());
    const manifest = await runs.run('web-app', 'cat tea-shop/package.json');
    const original = await readFile(join(ROOT, 'template/package.json'), 'utf8');
    expect(manifest).toBe(original.replaceAll('my-app', 'tea-shop'));
  });

  it('[shipped-skills.skill-creator] a skill is checked, packed, and read in its package', async () => {
    expect(await runs.read('skill-creator')).toContain('check_skill.py');
    const check = 'python3 $S/check_skill.py tea-making';
    await runs.write(
      'tea-making/SKILL.md',
      '---\nname: tea\ndescription: Tea: green <b>\n---\n\nRead scripts/boil.py.\n',
    );
    expect((await runs.run('skill-creator', check, 1)).trim().split('\n')).toEqual([
      '- line 3: put the value in quotes, it has a colon in it',
      "- name: 'tea' has to be the name of the folder, 'tea-making'",
      '- description: no angle brackets',
      '- the body names scripts/boil.py, which is not there',
      'tea-making: 4 problems',
    ]);
    const text =
      '---\nname: tea-making\ndescription: Makes tea. Use when somebody is thirsty.\n---\n\nRun scripts/boil.py.\n';
    await runs.run('skill-creator', `cat > tea-making/SKILL.md <<'END'\n${text}END`);
    await runs.write('tea-making/scripts/boil.py', 'print("hot")\n');
    expect(await runs.run('skill-creator', check)).toBe('tea-making is a skill\n');
    await runs.run('skill-creator', 'python3 $S/pack_skill.py tea-making ../outputs/tea-making.skill');
    const artifact = `/api/threads/${runs.threadId}/artifacts/mnt/user-data/outputs/tea-making.skill`;
    expect(await unzipped(runs.client.get(artifact))).toEqual(
      new Map([
        ['tea-making/SKILL.md', text],
        ['tea-making/scripts/boil.py', 'print("hot")\n'],
      ]),
    );
    expect(await (await runs.client.get(`${artifact}/SKILL.md`)).text()).toBe(text);
  });

  it('[shipped-skills.skill-creator] finds no problem in the shipped skills', async () => {
    const each = 'for skill in /mnt/skills/public/*/; do python3 $S/check_skill.py $skill; done';
    expect((await runs.run('skill-creator', each)).trim().split('\n')).toEqual(
      SHIPPED.map((name) => `${name} is a skill`),
    );
  });
});
