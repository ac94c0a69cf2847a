// Which skills are off and which ones are being changed, in SQL.
import { sql } from 'kysely';
import type { SharedSkillSwitches, SkillStates } from '../../skill-states.ts';
import type { Owner } from '../../storage.ts';
import { hasAccount } from '../database/account-lock.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, userOf, writableBy } from '../database/owner-filter.ts';
import { apply, isAny } from '../database/results.ts';

export function createSkillStates(database: Database, owner: Owner): SkillStates {
  const mine = writableBy(owner, 'user_id');
  return {
    off: () =>
      database.read(async (db) => {
        const off = await database.run(db, FIND_OFF, { owner });
        const of = (isShared: boolean) =>
          off.filter(({ user_id }) => (user_id === null) === isShared).map(({ path }) => path);
        return { own: of(false), shared: of(true) };
      }),

    set: (path, isOn) =>
      database.write(async (trx) => {
        if (isOn) await trx.deleteFrom('skill_switches').where(mine).where('path', '=', path).execute();
        else await switchOff(trx, userOf(owner, 'a skill'), path);
      }),

    claim: ({ name, holder, until }, now) =>
      database.write(async (trx) => {
        const user_id = userOf(owner, 'a skill');
        if (!(await hasAccount(database, trx, user_id))) return 'no_account';
        const left = trx.deleteFrom('skill_claims').where(mine).where('name', '=', name);
        await left.where('taken_until', '<=', now).execute();
        const claim = trx
          .insertInto('skill_claims')
          .values({ user_id, name, holder, taken_until: until })
          .onConflict((conflict) => conflict.columns(['user_id', 'name']).doNothing());
        return (await isAny(claim.returning('holder'))) ? 'claimed' : 'busy';
      }),

    renew: ({ name, holder, until }) =>
      database.write((trx) => {
        const claims = trx.updateTable('skill_claims').set({ taken_until: until }).where(mine);
        return isAny(claims.where('name', '=', name).where('holder', '=', holder).returning('holder'));
      }),

    release: ({ name, holder }) =>
      database.write((trx) => {
        const claims = trx.deleteFrom('skill_claims').where(mine);
        return apply(claims.where('name', '=', name).where('holder', '=', holder));
      }),
  };
}

const FIND_OFF = (queries: Connection, { owner }: { owner: Owner }) =>
  queries
    .selectFrom('skill_switches')
    .select(['user_id', 'path'])
    .where(readableBy(owner, 'user_id'))
    .orderBy('path');

export function createSharedSkillSwitches(database: Database): SharedSkillSwitches {
  return {
    set: (path, isOn) =>
      database.write(async (trx) => {
        const shared = trx.deleteFrom('skill_switches').where('user_id', 'is', null);
        if (isOn) await shared.where('path', '=', path).execute();
        else await switchOff(trx, null, path);
      }),
  };
}

function switchOff(trx: WriteTransaction, userId: string | null, path: string): Promise<void> {
  const row = trx.insertInto('skill_switches').values({ user_id: userId, path });
  return apply(row.onConflict((it) => it.expression(sql`coalesce(user_id, ''), path`).doNothing()));
}
