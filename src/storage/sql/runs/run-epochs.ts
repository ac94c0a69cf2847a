// The epochs of a run in its row: `1:3f9a2c41 31:77aa10be`, each with the place of its first event.
import { type RawBuilder, sql } from 'kysely';
import type { RunEpoch } from '../../runs.ts';

/** For a row of `runs` that is being claimed: its epochs, and a new one behind all that its log holds. */
export function withEpoch(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`
    coalesce(runs.epochs || ' ', '') || cast(1 + coalesce((
      select last_seq from run_frames where run_frames.run_id = runs.run_id order by first_seq desc limit 1
    ), 0) as text) || ':' || cast(${name} as text)`;
}

export function fromEpochs(epochs: readonly RunEpoch[]): string | null {
  if (epochs.length === 0) return null;
  return epochs.map(({ firstSeq, name }) => `${firstSeq}:${name}`).join(' ');
}

/** Of a row as it is stored. */
export function toEpochs(text: string | null): readonly RunEpoch[] {
  if (text === null) return [];
  return text.split(' ').map((epoch) => {
    const [firstSeq = '', name = ''] = epoch.split(':');
    return { firstSeq: Number(firstSeq), name };
  });
}
