// Word documents: headings, lists, tables, links, footnotes; pictures as the words that describe them.
import { gfm } from '@joplin/turndown-plugin-gfm';
import mammoth from 'mammoth';
import TurndownService from 'turndown';
import { type OfficeParts, plainZip } from './office-parts.ts';
import { pictureText } from './picture-text.ts';
import { preparedHtml } from './prepared-html.ts';

export async function readDocx(parts: OfficeParts): Promise<string> {
  const buffer = await plainZip(parts);
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { externalFileAccess: false, convertImage });
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
  return turndown.turndown(preparedHtml(value));
}
