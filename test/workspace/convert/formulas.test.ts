// Formulas of Word documents and presentations become LaTeX.
import { expect, it } from 'vitest';
import { docxOf } from '../../support/documents/docx.ts';
import { pptxOf } from '../../support/documents/pptx.ts';
import { markdownOf } from '../../support/documents/reader.ts';

const r = (text: string, properties = '') => `<m:r><m:rPr>${properties}</m:rPr><m:t>${text}</m:t></m:r>`;
const e = (content: string) => `<m:e>${content}</m:e>`;
const chr = (sign: string) => `<m:chr m:val="${sign}"/>`;

/** The XML of Word, and its LaTeX. */
const FORMULAS: readonly (readonly [name: string, omml: string, latex: string])[] = [
  ['a fraction', `<m:f><m:num>${r('a+1')}</m:num><m:den>${r('2b')}</m:den></m:f>`, '\\frac{a+1}{2b}'],
  [
    'a fraction in a line',
    `<m:f><m:fPr><m:type m:val="lin"/></m:fPr><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`,
    '{a}/{b}',
  ],
  ['a power', `<m:sSup>${e(r('x'))}<m:sup>${r('2')}</m:sup></m:sSup>`, 'x^{2}'],
  ['an index', `<m:sSub>${e(r('ab'))}<m:sub>${r('i')}</m:sub></m:sSub>`, '{ab}_{i}'],
  [
    'both',
    `<m:sSubSup>${e(r('α'))}<m:sub>${r('i')}</m:sub><m:sup>${r('2')}</m:sup></m:sSubSup>`,
    '\\alpha_{i}^{2}',
  ],
  [
    'both before',
    `<m:sPre><m:sub>${r('1')}</m:sub><m:sup>${r('2')}</m:sup>${e(r('H'))}</m:sPre>`,
    '{}_{1}^{2}H',
  ],
  [
    'a square root',
    `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(r('x'))}</m:rad>`,
    '\\sqrt{x}',
  ],
  ['another root', `<m:rad><m:deg>${r('3')}</m:deg>${e(r('x'))}</m:rad>`, '\\sqrt[3]{x}'],
  [
    'a sum',
    `<m:nary><m:naryPr>${chr('∑')}</m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('i'))}</m:nary>`,
    '\\sum_{i=1}^{n} i',
  ],
  ['an integral', `<m:nary><m:sub/><m:sup/>${e(r('f(x)dx'))}</m:nary>`, '\\int f(x)dx'],
  ['brackets', `<m:d>${e(r('a'))}${e(r('b'))}</m:d>`, '\\left( a \\vert b \\right)'],
  [
    'one bracket',
    `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e(r('a'))}</m:d>`,
    '\\left\\{ a \\right.',
  ],
  [
    'a matrix',
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(`<m:m><m:mr>${e(r('1'))}${e(r('0'))}</m:mr><m:mr>${e(r('0'))}${e(r('1'))}</m:mr></m:m>`)}</m:d>`,
    '\\begin{bmatrix}1 & 0 \\\\ 0 & 1\\end{bmatrix}',
  ],
  ['lines', `<m:eqArr>${e(r('a=b'))}${e(r('c=d'))}</m:eqArr>`, '\\begin{aligned}a=b \\\\ c=d\\end{aligned}'],
  ['a hat', `<m:acc>${e(r('x'))}</m:acc>`, '\\hat{x}'],
  ['a vector', `<m:acc><m:accPr>${chr('\u20d7')}</m:accPr>${e(r('v'))}</m:acc>`, '\\vec{v}'],
  ['a bar', `<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e(r('x'))}</m:bar>`, '\\overline{x}'],
  [
    'a brace',
    `<m:limUpp>${e(`<m:groupChr><m:groupChrPr>${chr('⏞')}</m:groupChrPr>${e(r('ab'))}</m:groupChr>`)}<m:lim>${r('n')}</m:lim></m:limUpp>`,
    '\\overbrace{ab}^{n}',
  ],
  ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e(r('θ'))}</m:func>`, '\\sin \\theta'],
  [
    'a limit',
    `<m:func><m:fName><m:limLow>${e(r('lim'))}<m:lim>${r('n→∞')}</m:lim></m:limLow></m:fName>${e(r('1'))}</m:func>`,
    '\\lim_{n\\to \\infty} 1',
  ],
  ['slanted letters', r('𝑥≤𝜋∙𝐁'), 'x\\leq \\pi ∙B'],
  ['sets', r('x∈ℝ'), 'x\\in \\mathbb{R}'],
  ['words', `${r('x')}${r(' if 5% {ok}', '<m:nor/>')}`, 'x\\text{ if 5\\% \\{ok\\}}'],
  ['what LaTeX would take for something else', r('a_b#{c}%&amp;d'), 'a\\_b\\#\\{c\\}\\%\\&d'],
];

it('[uploads.markdown.formulas] Word: within a line, with the text around it', async () => {
  const docx = await docxOf(
    FORMULAS.map(([name, omml]) => ({ kind: 'formula', before: `${name} is `, omml, after: '.' })),
  );
  const said = (await markdownOf('.docx', docx)).trim().split('\n\n');
  expect(said).toEqual(FORMULAS.map(([name, , latex]) => `${name} is $${latex}$.`));
});

it('[uploads.markdown.formulas] Word: on separate lines, in a table, and adjacent to each other', async () => {
  const display = `<m:oMathPara><m:oMath>${r('a=b')}</m:oMath><m:oMath>${r('|c|')}</m:oMath></m:oMathPara>`;
  const side = `<m:oMath>${r('a')}</m:oMath><m:oMath>${r('b')}</m:oMath>`;
  const docx = await docxOf([
    { kind: 'xml', xml: `<w:p>${display}</w:p>` },
    { kind: 'xml', xml: `<w:p>${side}</w:p>` },
    { kind: 'xml', xml: `<w:tbl><w:tr><w:tc><w:p>${display}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>` },
  ]);
  expect(await markdownOf('.docx', docx)).toBe(
    ['$$a=b$$', '$$\\vert c\\vert$$', '$a$ $b$', '| $a=b$ $\\vert c\\vert$ |     |\n| --- | --- |\n'].join(
      '\n\n',
    ),
  );
});

it('[uploads.markdown.formulas] PowerPoint: formulas are in an alternative for programs that know them', async () => {
  const sp = (content: string) =>
    `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody><a:p>${content}</a:p></p:txBody></p:sp>`;
  const formula = `<a14:m><m:oMathPara><m:oMath>${r('x≠y')}</m:oMath></m:oMathPara></a14:m>`;
  const shapes = `<mc:AlternateContent><mc:Choice>${sp(`<a:r><a:t>Say </a:t></a:r>${formula}`)}</mc:Choice><mc:Fallback>${sp('<a:r><a:t>no formula</a:t></a:r>')}</mc:Fallback></mc:AlternateContent>`;
  const pptx = await pptxOf([{ title: 'Sums', shapes }]);
  expect(await markdownOf('.pptx', pptx)).toBe('## Slide 1: Sums\n\nSay $x\\neq y$\n');
});

it('[uploads.markdown.limits] formulas may be nested', async () => {
  const deep = (levels: number) => `${'<m:d><m:e>'.repeat(levels)}${r('x')}${'</m:e></m:d>'.repeat(levels)}`;
  const docx = await docxOf([
    { kind: 'formula', before: '', omml: deep(50), after: '' },
    { kind: 'formula', before: 'Nobody writes ', omml: deep(150), after: '.' },
  ]);
  const markdown = await markdownOf('.docx', docx);
  expect(markdown).toContain(`${'\\left( '.repeat(50)}x`);
  expect(markdown).toContain('Nobody writes [Formula].');
});
