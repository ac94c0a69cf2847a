// Metrics for Prometheus: the process, and how long requests take.
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const measure: MiddlewareHandler = async (c, next) => {
    const stop = seconds.startTimer();
    await next();
    // The pattern of the route, not the path: labels must stay few.
    stop({ method: c.req.method, route: routePath(c, -1), status: c.res.status });
  };
  return { registry, measure };
}
