// Sessions as rows, which signing out removes. Tokens from before have none: whoever is signed in signs in once more.
import { guarded, type Migration } from './migration.ts';

export const sessions: Migration = {
  number: 24,
  name: 'sessions',
  statements: [
    `create table sessions (
      session_id text primary key,
      user_id text not null,
      created_at bigint not null,
      last_used_at bigint not null,
      expires_at bigint not null,
      confirmed_at bigint not null,
      device text not null,
      client_ip text not null
    )`,
    'create index sessions_user on sessions (user_id, last_used_at, session_id)',
  ],
  postgres: guarded('sessions'),
};
