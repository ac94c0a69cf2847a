// Reads Word documents: headings, lists, tables, links, footnotes, and the descriptions of pictures.
import { gfm } from '@joplin/turndown-plugin-gfm';
import mammoth from 'mammoth';
import TurndownService from 'turndown';
import { INSERT_STYLE, type Insert, withInserts } from './docx-inserts.ts';
import { pictureText } from './markdown-blocks.ts';
import { type OfficeParts, plainZip } from './office-parts.ts';
import { preparedHtml } from './prepared-html.ts';

export async function readDocx(parts: OfficeParts): Promise<string> {
  const { parts: whole, inserts } = withInserts(parts);
  const buffer = await plainZip(whole);
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const styleMap = [`r.${INSERT_STYLE} => code.${INSERT_STYLE}:fresh`];
  const options = { externalFileAccess: false, convertImage, styleMap };
  const { value } = await mammoth.convertToHtml({ buffer }, options);
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  turndown.use(gfm);
  turndown.addRule('picture', {
    filter: 'img',
    replacement: (_, node) => pictureText('getAttribute' in node ? (node.getAttribute('alt') ?? '') : ''),
  });
  turndown.addRule('insert', {
    filter: (node) => node.nodeName === 'CODE' && node.className === INSERT_STYLE,
    replacement: (number, node) =>
      (followsInsert(node) ? ' ' : '') + insertText(inserts, number, isInCell(node)),
  });
  return turndown.turndown(preparedHtml(value));
}

/** A cell has only one line. */
function insertText(inserts: readonly (Insert | undefined)[], number: string, isCell: boolean): string {
  const insert = inserts[Number(number)];
  if (insert === undefined) return '';
  return isCell || insert.block === undefined ? insert.inline : `\n\n${insert.block}\n\n`;
}

interface Nested {
  readonly nodeName: string;
  readonly previousSibling: Nested | null;
  readonly parentNode: Nested | null;
}

function isInCell(node: Nested): boolean {
  for (let at = node.parentNode; at !== null; at = at.parentNode)
    if (/^T[DH]$/.test(at.nodeName)) return true;
  return false;
}

/** Two adjacent formulas would become one. */
function followsInsert({ previousSibling }: Nested): boolean {
  return previousSibling?.nodeName === 'CODE';
}
