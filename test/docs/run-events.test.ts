// The page of run events is written from the catalogue.
import { expect, it } from 'vitest';
import { runEventsPage } from '../../scripts/run-events-page.ts';
import { readPage } from './documents.ts';

it('[events.docs] the page says what the catalogue says', async () => {
  // When it does not: node scripts/run-events-page.ts
  expect(await readPage('docs/run-events.md')).toBe(runEventsPage());
});
