// Validation of a SKILL.md, before anything reads it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';

let service: TestService;
let ann: HttpClient;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user();
});
afterAll(() => service.close());

async function refusal(content: string): Promise<string> {
  const answer = await ann.post('/api/skills', { content });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([400, text]);
  return text;
}

it('[skills.edit.refused] a new skill with a NUL in it is refused with a sentence', async () => {
  expect(await refusal(skillText('strange', { body: 'Do\0 it.' }))).toContain('is not a text');
  expect((await ann.get('/api/skills/strange')).status).toBe(404);
});

it('[skills.edit.refused] front matter with anchors, aliases or tags is refused', async () => {
  for (const head of ['author: &a me', 'author: !!str 1', 'metadata: &a {x: 1}', 'author: &a x\nlicense: *a'])
    expect(await refusal(skillText('strange', { head: `${head}\n` }))).toContain('must not have anchors');
});

it('[skills.edit.refused] front matter that is slow to parse as YAML is refused unparsed', async () => {
  const many = [',', ':', '?', '&', '*', '!', '"', "'"].map((mark) => `author: ${mark.repeat(401)}\n`);
  for (const head of many)
    expect(await refusal(skillText('strange', { head }))).toContain('at most 400 quotes');
  expect(await refusal(skillText('strange', { head: '# x\n'.repeat(200) }))).toContain('at most 200 lines');
  expect(await refusal(skillText('strange', { head: `author: ${']'.repeat(129)}\n` }))).toContain(
    'few levels',
  );
});

it('[skills.edit] lines may have Windows endings, and the text may have dashes', async () => {
  const content = `\ufeff${skillText('crlf', { body: 'One\n\n---\n----\n\nTwo' })}`.replaceAll('\n', '\r\n');
  const made = await ann.post('/api/skills', { content });
  expect([made.status, await made.json()]).toMatchObject([
    201,
    { name: 'crlf', content: 'One\n\n---\n----\n\nTwo' },
  ]);
});
