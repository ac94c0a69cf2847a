// Thumbs up and down for a run's reply (docs/contract/record.md#feedback).
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { FeedbackService, RatedRun, Rating } from '../../runs/record/feedback-service.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { AppContext } from '../api/context.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { feedbackBodySchema, presentFeedback } from '../presenters/run-event.ts';

export interface FeedbackRouteDependencies {
  readonly runs: Pick<RunService, 'get' | 'find'>;
  readonly feedback: FeedbackService;
}

const FEEDBACK = '/api/threads/{thread_id}/runs/{run_id}/feedback';
const MAX_COMMENT_CHARACTERS = 4_000;

const ratingBody = z
  .object({
    rating: z.union([z.literal(1), z.literal(-1)], 'rating must be 1 or -1'),
    message_id: z.string().min(1).max(128).nullish(),
    comment: z
      .string()
      .refine(
        (text) => Array.from(text).length <= MAX_COMMENT_CHARACTERS,
        `at most ${MAX_COMMENT_CHARACTERS} characters`,
      )
      .nullish()
      .meta({ maxLength: MAX_COMMENT_CHARACTERS }),
  })
  .meta({ id: 'Rating', examples: [{ rating: 1, comment: 'Exactly what I asked for.' }] });
type RatingBody = z.output<typeof ratingBody>;

const statsBody = z
  .object({
    run_id: z.string(),
    count: z.int(),
    sum: z.int(),
    positive: z.int(),
    negative: z.int(),
  })
  .meta({ id: 'FeedbackStats' });

const feedbackResponse = { description: 'The feedback', schema: feedbackBodySchema };
const listResponse = { description: 'Feedback of the run', schema: z.array(feedbackBodySchema) };
const deletedResponse = { description: 'Deleted', schema: z.object({ success: z.literal(true) }) };

export function feedbackRoutes(routes: RouteTable, dependencies: FeedbackRouteDependencies): void {
  mountOwn(routes, dependencies);
  mountReading(routes, dependencies);
}

/** Returns the run to rate. These routes require a thread of the user; shared threads are not rated. */
async function runOf({ runs }: FeedbackRouteDependencies, c: AppContext): Promise<RatedRun> {
  return runs.get(c.var.repositories, c.var.thread.threadId, pathParam(c, 'run_id'));
}

function mountOwn(routes: RouteTable, dependencies: FeedbackRouteDependencies): void {
  const { feedback } = dependencies;
  const rating = {
    thread: 'write',
    body: { kind: 'json', schema: ratingBody },
    responses: { 200: feedbackResponse },
  } as const;
  const deletion = { thread: 'write', responses: { 200: deletedResponse } } as const;
  routes.post(FEEDBACK, {
    ...rating,
    operationId: 'createFeedback',
    errors: ['conflict'],
    summary: 'Rate the reply of a run; refused when the user has already rated it',
    handle: async (c, { body }) => {
      const run = await runOf(dependencies, c);
      return c.json(presentFeedback(await feedback.create(c.var.repositories, run, toRating(body))));
    },
  });
  routes.put(FEEDBACK, {
    ...rating,
    operationId: 'putFeedback',
    summary: 'Rate the reply of a run, or replace the rating',
    handle: async (c, { body }) => {
      const run = await runOf(dependencies, c);
      return c.json(presentFeedback(await feedback.put(c.var.repositories, run, toRating(body))));
    },
  });
  routes.delete(FEEDBACK, {
    ...deletion,
    operationId: 'deleteOwnFeedback',
    summary: "Delete the user's feedback of a run",
    handle: async (c) => {
      await feedback.delete(c.var.repositories, await runOf(dependencies, c));
      return c.json({ success: true });
    },
  });
  routes.delete(`${FEEDBACK}/{feedback_id}`, {
    ...deletion,
    operationId: 'deleteFeedback',
    summary: 'Delete feedback by its id, which must belong to this thread and run',
    handle: async (c) => {
      const run = await runOf(dependencies, c);
      await feedback.delete(c.var.repositories, run, c.req.param('feedback_id'));
      return c.json({ success: true });
    },
  });
}

function toRating({ rating, message_id, comment }: RatingBody): Rating {
  return { rating, messageId: message_id ?? null, comment: comment ?? null };
}

function mountReading(routes: RouteTable, dependencies: FeedbackRouteDependencies): void {
  const { feedback, runs } = dependencies;
  routes.get(FEEDBACK, {
    operationId: 'listFeedback',
    summary: 'Feedback of a run',
    thread: 'write',
    responses: { 200: listResponse },
    handle: async (c) => {
      const run = await runOf(dependencies, c);
      return c.json((await feedback.list(c.var.repositories, run)).map(presentFeedback));
    },
  });
  routes.get(`${FEEDBACK}/stats`, {
    operationId: 'getFeedbackStats',
    summary: 'Counts of the ratings of a run',
    thread: 'write',
    responses: ok('Counts', statsBody),
    handle: async (c) => {
      const run = await runOf(dependencies, c);
      return c.json({ run_id: run.runId, ...(await feedback.stats(c.var.repositories, run)) });
    },
  });
  routes.get('/api/runs/{run_id}/feedback', {
    operationId: 'listFeedbackOfRun',
    errors: ['not_found'],
    summary: 'Feedback of a run, whichever thread it is on',
    responses: { 200: listResponse },
    handle: async (c) => {
      const run = await runs.find(c.var.repositories, pathParam(c, 'run_id'));
      const thread = await c.var.repositories.threads.get(run.threadId);
      if (thread === undefined || thread.userId === null) throw notFound('Run');
      return c.json((await feedback.list(c.var.repositories, run)).map(presentFeedback));
    },
  });
}
