// A process that is killed in the middle of a migration: `node migrating-process.ts <url> <n>` dies at the n-th step.

import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const [url = '', dieAt = '1'] = process.argv.slice(2);
const database = await openDatabase(url, QUIET_LOG);
let steps = 0;
// `now` is called after the statements of a migration were executed and before the migration is recorded.
await migrate(database, MIGRATIONS, () => {
  if (++steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
  return 1;
});
await database.close();
