// The process in which one web page is made Markdown: pages are written by anybody, and may be made to hurt.
import { readFileSync } from 'node:fs';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { type PageOrder, type PageReport, pageOrderSchema } from './page-order.ts';

/** More elements than that are no text for people. */
const MAX_ELEMENTS = 60_000;
/** Less text than this is no article: the page is a list, a form or an index, and is shown as it is. */
const LEAST_ARTICLE_CHARACTERS = 250;

function read({ html, url }: PageOrder): PageReport {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  // A page that leaves its <html> out, as it may, has its title in what is taken for its body.
  const titled = document.title || document.querySelector('body > title')?.textContent;
  const title = (titled ?? '').replace(/\s+/g, ' ').trim();
  withFullAddresses(document, url);
  for (const element of document.querySelectorAll(
    'title, script, style, noscript, template, iframe, svg, canvas',
  ))
    element.remove();
  const whole = document.body?.innerHTML ?? '';
  const article = new Readability(document, { maxElemsToParse: MAX_ELEMENTS, keepClasses: true }).parse();
  const isArticle = (article?.textContent ?? '').trim().length >= LEAST_ARTICLE_CHARACTERS;
  const markdown = toMarkdown((isArticle ? article?.content : undefined) ?? whole);
  return { title: article?.title?.trim() || title, markdown };
}

type Page = ReturnType<typeof parseHTML>['document'];

/** Links and images of a page are relative to it; the model sees them elsewhere. */
function withFullAddresses(document: Page, url: string): void {
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const address = element.getAttribute(attribute) ?? '';
      const full = URL.canParse(address, url) ? new URL(address, url) : undefined;
      if (full?.protocol === 'http:' || full?.protocol === 'https:')
        element.setAttribute(attribute, full.href);
      else element.removeAttribute(attribute);
    }
  }
}

function toMarkdown(html: string): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  turndown.use(gfm);
  return turndown
    .turndown(html)
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

process.stdout.write(JSON.stringify(read(pageOrderSchema.parse(JSON.parse(readFileSync(0, 'utf8'))))));
