// The storage contract for sessions.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../src/storage/sessions.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, sampleUser } from './samples.ts';

export const sampleSession = (sessionId: string, fields: Partial<SessionRecord> = {}): SessionRecord => ({
  sessionId,
  userId: ANN,
  createdAt: 1000,
  lastUsedAt: 1000,
  expiresAt: 9000,
  confirmedAt: 1000,
  device: 'Firefox on Linux',
  clientIp: '192.0.2.1',
  ...fields,
});

export function sessionsContract(open: () => Promise<Storage>): void {
  describe('sessions', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
    });
    afterEach(() => storage.close());

    const idsOf = async (owner: string, now = 2000) =>
      (await storage.as(owner).sessions.list(now)).map(({ sessionId }) => sessionId);

    it('[storage.sessions] are found with the account to which they belong', async () => {
      await storage.sessions.open(sampleSession('s'), 9);
      const times = { lastUsedAt: 1000, confirmedAt: 1000 };
      expect(await storage.sessions.find(ANN, 's')).toEqual({ user: sampleUser(ANN), session: times });
      expect(await storage.sessions.find(ANN, 'other')).toEqual({
        user: sampleUser(ANN),
        session: undefined,
      });
      await storage.users.insert(sampleUser(BOB));
      expect(await storage.sessions.find(BOB, 's')).toEqual({ user: sampleUser(BOB), session: undefined });
      expect(await storage.sessions.find('nobody', 's')).toBeUndefined();
    });

    it('[storage.sessions] keep the times of the last use and of the password, which never move back', async () => {
      await storage.sessions.open(sampleSession('s'), 9);
      for (const at of [3000, 2000]) await storage.sessions.markUsed('s', at);
      for (const at of [5000, 4000]) await storage.sessions.confirm('s', at);
      expect(await storage.as(ANN).sessions.list(2000)).toEqual([
        sampleSession('s', { lastUsedAt: 3000, confirmedAt: 5000 }),
      ]);
    });

    it('[storage.sessions.most] never exceed the limit, and include none that has expired', async () => {
      await storage.sessions.open(sampleSession('bobs', { userId: BOB, expiresAt: 1 }), 9);
      await storage.sessions.open(sampleSession('over', { expiresAt: 1500 }), 3);
      for (const [n, id] of ['a', 'b', 'c', 'd'].entries())
        await storage.sessions.open(sampleSession(id, { createdAt: 1500 + n, lastUsedAt: 1500 + n }), 3);
      expect(await idsOf(ANN)).toEqual(['d', 'c', 'b']);
      expect(await idsOf(ANN, 9000)).toEqual([]);
      expect(await idsOf(BOB, 0)).toEqual(['bobs']);
    });

    it('[storage.sessions.most] those that were never used end first, with an entry in the audit log', async () => {
      const before = (await storage.audit.list({ limit: 1 })).entries[0]?.number ?? 0;
      const opened = (id: string, at: number) =>
        storage.sessions.open(sampleSession(id, { createdAt: at, lastUsedAt: at }), 3);
      for (const [n, id] of ['person', 'phone'].entries()) {
        await opened(id, 1000 + n);
        await storage.sessions.markUsed(id, 1100 + n);
      }
      for (const [n, id] of ['script1', 'script2', 'script3'].entries()) await opened(id, 1500 + n);
      expect(await idsOf(ANN)).toEqual(['script3', 'phone', 'person']);
      await storage.sessions.markUsed('script3', 1600);
      await opened('script4', 1700);
      expect(await idsOf(ANN)).toEqual(['script4', 'script3', 'phone']);
      const { entries } = await storage.audit.list({ limit: 9 });
      const displaced = {
        act: 'sessions_end',
        actor: ANN,
        subject: ANN,
        clientIp: '192.0.2.1',
        details: { sessions: 1, reason: 'too_many' },
      };
      expect(entries.filter(({ number }) => number > before)).toMatchObject([
        displaced,
        displaced,
        displaced,
      ]);
    });

    it('[owner.sessions] are listed, last used first, and ended by their owner only', async () => {
      // The tests of one database share its audit log.
      const before = (await storage.audit.list({ limit: 1 })).entries[0]?.number ?? 0;
      for (const [n, id] of ['a', 'b', 'c'].entries())
        await storage.sessions.open(sampleSession(id, { lastUsedAt: n }), 9);
      expect(await idsOf(ANN)).toEqual(['c', 'b', 'a']);
      expect(await idsOf(BOB)).toEqual([]);
      expect(await storage.as(BOB).sessions.end('a')).toBe(false);
      expect(await storage.as(BOB).sessions.endOthers('a')).toBe(0);
      const own = storage.as(ANN).sessions;
      expect(await own.end('a', '192.0.2.7')).toBe(true);
      expect(await own.end('a')).toBe(false);
      expect(await own.endOthers('b')).toBe(1);
      expect(await idsOf(ANN)).toEqual(['b']);
      const { entries } = await storage.audit.list({ limit: 9 });
      expect(entries.filter(({ number }) => number > before)).toMatchObject([
        { act: 'sessions_end', actor: ANN, subject: ANN, details: { sessions: 1 } },
        { act: 'session_end', actor: ANN, subject: 'a', clientIp: '192.0.2.7' },
      ]);
    });

    it('[storage.sessions.live] can be checked together, with the version of their account', async () => {
      await storage.sessions.open(sampleSession('s'), 9);
      await storage.sessions.open(sampleSession('orphan', { userId: BOB }), 9);
      const live = () => storage.sessions.live(['s', 'orphan', 'nothing', 's']);
      expect(await live()).toEqual(new Map([['s', 0]]));
      expect(await storage.sessions.end('s')).toBe(true);
      expect(await storage.sessions.end('s')).toBe(false);
      expect(await live()).toEqual(new Map());
      expect(await storage.sessions.live([])).toEqual(new Map());
    });

    it('[storage.sessions.account] end with another token version of their account, and with the account', async () => {
      await storage.sessions.open(sampleSession('bobs', { userId: BOB }), 9);
      await storage.sessions.open(sampleSession('s'), 9);
      await storage.users.update(ANN, 0, { email: 'new@example.org' });
      expect(await idsOf(ANN)).toEqual(['s']);
      await storage.users.update(ANN, 0, { tokenVersion: 1 });
      expect(await idsOf(ANN)).toEqual([]);
      await storage.sessions.open(sampleSession('t'), 9);
      const removal = { now: 1, takenUntil: 2, actor: ANN, clientIp: null };
      await storage.accountRemovals.begin({ id: ANN, tokenVersion: 1 }, removal);
      expect(await idsOf(ANN)).toEqual([]);
      expect(await idsOf(BOB)).toEqual(['bobs']);
    });
  });
}
