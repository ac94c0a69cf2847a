// The process in which one web page becomes Markdown: anyone can write pages, and they may be malicious.
import { readFileSync } from 'node:fs';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { type PageOrder, type PageReport, pageOrderSchema } from './page-order.ts';

/** A page with more elements is not text for people. */
const MAX_ELEMENTS = 60_000;
/** With less text, the page is a list, a form or an index instead of an article, and is shown as it is. */
const LEAST_ARTICLE_CHARACTERS = 250;

function read({ html, url }: PageOrder): PageReport {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  // A page may omit <html>. Its title is then inside what was taken for its body.
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

/** Makes addresses of links and images absolute, because the model sees them outside the page. */
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

process.stdout.write(JSON.stringify(read(pageOrderSchema.parse(JSON.parse(readFileSync(3, 'utf8'))))));
