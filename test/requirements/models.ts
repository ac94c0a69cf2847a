// Requirements of models: the port, the providers, the demo model and the configuration.
export const modelsRequirements = {
  'models.options':
    'Every key of a models: entry is checked; unknown keys, duplicate names and unusable addresses are refused.',
  'models.catalog.default': 'The first configured model is the default.',
  'models.catalog.by-name': 'A model is found by its name; an unknown name finds none.',
  'models.discover.keys': 'Without configuration, models are found from the API keys in the environment.',
  'models.discover.ollama':
    'Without configuration, the models of a local Ollama are found; the start does not wait for other servers.',
  'models.discover.demo': 'Without a key or a local server, the built-in demo model is used.',
  'models.stream.text': 'Text streams as it arrives, and a call ends with exactly one finish.',
  'models.stream.reasoning': 'Reasoning streams separately from the text.',
  'models.stream.tool-calls': 'The arguments of tool calls stream as they grow.',
  'models.stream.usage': 'Usage counts input and output tokens, including cached and reasoning ones.',
  'models.stream.finish-reason': 'The finish reasons of every provider are mapped to those of the port.',
  'models.stream.finish-lies': 'A finish reason that contradicts the tool calls is corrected.',
  'models.stream.odd': 'Empty choices, a line of a megabyte and invalid UTF-8 do not break a call.',
  'models.stream.bounds':
    'Events, calls and arguments of a reply have size limits; beyond them the reply counts as broken.',
  'models.request':
    "A request contains instructions, history, tools, settings and headers of the model's entry.",
  'models.tool-calls.repair':
    'Wrong positions and duplicate or missing call ids are repaired deterministically.',
  'models.prompt.tool-pairs':
    'In a request, every tool call is followed by its one result; results without a call are omitted.',
  'models.prompt.text':
    'Several consecutive texts of the person are sent as one text, because some servers accept no list.',
  'models.prompt.roles':
    'A request has one instruction at the start and alternating roles, whatever the thread contains.',
  'models.prompt.images': 'Models with vision get images, others get a description in words.',
  'models.prompt.reasoning': 'Reasoning is sent back to a provider that wants it.',
  'models.prompt.provider-switch': 'Reasoning from one provider is not sent to another that would refuse it.',
  'models.prompt.cached': 'Each message is converted for its provider only once.',
  'models.prompt.prefix':
    'Each prompt of a thread begins with the previous one, byte for byte; information given once is at its end.',
  'models.prompt.same-bytes':
    'A prompt from the cache has the same bytes as one converted anew, whatever happened to the thread.',
  'models.prompt.shared':
    'Calls with the same instructions and tools share their bytes in memory; other calls have their own.',
  'models.quirks': 'Every row of the quirks table turns its fixture into the recorded result.',
  'models.quirks.needed': 'Without its row, each fixture gives a different result.',
  'models.provider.anthropic':
    'Anthropic: reasoning, text and tool calls stream; signed reasoning is sent back.',
  'models.provider.google':
    'Google: thoughts, text and tool calls stream; signatures of calls are sent back.',
  'models.provider.deepseek': 'DeepSeek: reasoning and tool calls stream; reasoning is sent back.',
  'models.thinking':
    'With thinking on, when_thinking_enabled is merged into the request of a model that supports thinking.',
  'models.thinking.off': 'With thinking off, the request disables it for providers that require that.',
  'models.error.kinds':
    'Failures of a provider become one of five kinds, each with a sentence that people understand.',
  'models.error.broken-stream':
    'A reply without a finish, or with tool calls that do not parse, is a broken attempt.',
  'models.error.no-secrets': 'No error contains a key, a header, a URL with credentials or a body.',
  'models.retry.before-first-token': 'Requests are repeated only before the first token.',
  'models.retry.limit': 'A request is tried three times at most.',
  'models.retry.backoff': 'The pause before a repeated request grows, is capped, and is partly random.',
  'models.retry.retry-after': 'Retry-After is honoured, as seconds or as a date, up to a cap.',
  'models.timeout.connect':
    'A call ends if the provider does not accept the connection in time; late headers count for the first token.',
  'models.timeout.first-token': 'A call ends if no first token arrives in time.',
  'models.timeout.silence': 'A call ends if the reply stalls; a slow reader does not count as a stall.',
  'models.abort': 'An abort ends a call immediately, at any point, and frees the connection.',
  'models.connection.kept': 'Consecutive calls of a model share a connection.',
  'models.connection.stale':
    'If the provider has closed a kept connection, the call opens a new one and does not fail.',
  'models.connection.pressure': 'A connection is not read while nobody consumes its data.',
  'models.read-pace':
    'The more replies arrive in small pieces at once, the longer each read waits for more, but never for longer than its reply has been arriving. A single reply and large pieces do not wait.',
  'models.read-pace.load': 'These waits are longer while the process has no time to spare.',
  'models.connection.compressed':
    'A response that is compressed without being requested is read as it arrives.',
  'models.connection.redirect':
    'A redirect is followed only within the same origin, a few times, with the unchanged request.',
  'models.demo.tools':
    'The demo model uses the real tools for plain requests, and only those that are offered.',
  'models.demo.subagents': 'The demo model gives parallel tasks to sub-agents and combines their replies.',
  'models.demo.command': 'The demo model runs a command on request and reports how it ended.',
  'models.demo.present': 'The demo model presents the files that it wrote into the outputs.',
  'models.demo.results': 'The demo model reports the results of tools, failures included.',
  'models.demo.summary': 'The demo model summarises files and texts with sentences from them.',
  'models.demo.plan': 'The demo model writes a plan on request.',
  'models.demo.think': 'The demo model reasons aloud when thinking is on.',
  'models.demo.memory': 'The demo model refers to earlier messages of the thread.',
  'models.demo.skills': 'The demo model follows the text after the name of an activated skill.',
  'models.demo.honest': 'The demo model says that it is a demo model.',
  'models.demo.deterministic': 'The demo model gives the same reply to the same messages.',
  'models.demo.stream': 'The demo model streams word by word and counts tokens.',
} as const;
