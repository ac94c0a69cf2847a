// The endpoints for load balancers, the same on both ports.
import type { Hono } from 'hono';
import type { Readiness } from './readiness.ts';
import type { RequestEnv } from './request-log.ts';

/** Adds `/health` and `/health/ready`. While draining, every answer also closes its connection. */
export function addHealth<E extends RequestEnv>(app: Hono<E>, readiness: Readiness): void {
  app.use(async (c, next) => {
    await next();
    // A client that keeps the connection would send its next request here.
    if (readiness.state === 'draining') c.header('connection', 'close');
  });
  app.get('/health', (c) => c.json({ status: 'healthy' }));
  app.get('/health/ready', async (c) => {
    const report = await readiness.report();
    return c.json(report, report.ready ? 200 : 503);
  });
}
