// Options of the tools: the section `tools:` of the configuration file.
import { z } from 'zod';
import { fairShareFields } from '../fair-share/fair-share-options.ts';

const webSearchOptionsSchema = z
  .strictObject({
    /** Absent: the agent has no web search. */
    provider: z.enum(['tavily', 'brave', 'searxng']).optional(),
    api_key: z.string().min(1).optional(),
    /** Replaces the provider's address; for SearXNG, the address of the server. */
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    /** Results of a search that sets no number. */
    max_results: z.int().min(1).max(20).default(5),
    timeout_seconds: z.int().min(1).max(60).default(10),
  })
  .refine(
    ({ provider, api_key }) => (provider !== 'tavily' && provider !== 'brave') || api_key !== undefined,
    {
      path: ['api_key'],
      error: 'this provider needs a key; write it as $NAME, the name of an environment variable',
    },
  )
  .refine(({ provider, base_url }) => provider !== 'searxng' || base_url !== undefined, {
    path: ['base_url'],
    error: 'searxng needs the address of a server, like https://search.example.com',
  });

export type WebSearchOptions = z.output<typeof webSearchOptionsSchema>;

export const toolOptionsSchema = z.strictObject({
  web_fetch: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Internal hosts that may be fetched from, as `host` or `host:port`. */
      allow_hosts: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  web_search: webSearchOptionsSchema.prefault({}),
  /** File searches and page reads that run at the same time, each in a separate process. */
  processes: z.strictObject(fairShareFields({ at_once: 6, per_user: 4, waiting_per_user: 200 })).prefault({}),
});

export type ToolOptions = z.output<typeof toolOptionsSchema>;
