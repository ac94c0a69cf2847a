// What models promise: the port, the providers behind it, the demo model and the configuration.
export const modelsRequirements = {
  'models.options':
    'Every key of a models: entry is checked; unknown keys, doubled names and unusable addresses are refused.',
  'models.catalog.default': 'The first configured model is the default.',
  'models.catalog.by-name': 'A model is found by its name; an unknown name finds nothing.',
  'models.discover.keys': 'Without configuration, models are found from the API keys in the environment.',
  'models.discover.ollama':
    'Without configuration, the models of a local Ollama are found, and nobody is waited for.',
  'models.discover.demo': 'With no key and no local server, the built-in demo model answers.',
  'models.stream.text': 'Text streams as it comes, and a call ends with exactly one finish.',
  'models.stream.reasoning': 'Reasoning streams apart from the text.',
  'models.stream.tool-calls': 'The arguments of tool calls stream as they grow.',
  'models.stream.usage': 'Usage counts input and output tokens, with the cached and the reasoning ones.',
  'models.stream.finish-reason': 'The finish reasons of every provider become the words of the port.',
  'models.stream.finish-lies': 'A finish reason that contradicts the tool calls is corrected.',
  'models.stream.odd': 'Empty choices, a line of a megabyte and invalid UTF-8 do not disturb a call.',
  'models.stream.bounds':
    'Events, calls and arguments of an answer have a largest size; beyond it the answer is broken.',
  'models.request': 'A request carries instructions, history, tools, settings and headers of the entry.',
  'models.tool-calls.repair':
    'Wrong positions and duplicate or missing call ids are repaired, the same way every time.',
  'models.prompt.tool-pairs':
    'Every tool call that is sent has its one result right behind it; orphan results are left out.',
  'models.prompt.text':
    'Several texts of the person in a row are sent as one text, because some servers take no list.',
  'models.prompt.roles':
    'What is sent has one instruction at the start and alternating roles, whatever the thread holds.',
  'models.prompt.images': 'Images are sent to models that see, and are words for the others.',
  'models.prompt.reasoning': 'Reasoning goes back to a provider where it wants it.',
  'models.prompt.provider-switch': 'Reasoning of one provider is not sent to another that would refuse it.',
  'models.prompt.cached': 'A message is converted for its provider once.',
  'models.prompt.prefix':
    'Each prompt of a thread begins with the one before it, byte by byte; what is told once stands at its end.',
  'models.prompt.same-bytes':
    'What was kept of the prompts of a thread is sent as it would be made anew, whatever happened to the thread.',
  'models.prompt.shared':
    'Calls with the same instructions and tools send the same bytes of them from one place in memory; others send their own.',
  'models.quirks':
    'Every row of the table of what providers want otherwise makes of its fixture what was recorded.',
  'models.quirks.needed': 'Without its row, something else comes out of each fixture.',
  'models.provider.anthropic':
    'Anthropic: reasoning, text and tool calls stream; signed reasoning goes back.',
  'models.provider.google': 'Google: thoughts, text and tool calls stream; signatures of calls go back.',
  'models.provider.deepseek': 'DeepSeek: reasoning and tool calls stream; reasoning goes back.',
  'models.thinking':
    'Thinking merges when_thinking_enabled into the request of a model that supports thinking.',
  'models.thinking.off': 'Thinking that is off is switched off where the provider needs to hear it.',
  'models.error.kinds':
    'Failures of a provider become one of five kinds with a sentence that a person understands.',
  'models.error.broken-stream':
    'An answer without a finish, or with tool calls that do not parse, is a broken attempt.',
  'models.error.no-secrets': 'No key, header, address with credentials or body is in an error.',
  'models.retry.before-first-token': 'Requests are repeated only before the first token.',
  'models.retry.limit': 'A request is tried three times at most.',
  'models.retry.backoff':
    'The wait before a repeated request grows, is capped, and is partly left to chance.',
  'models.retry.retry-after': 'Retry-After is honoured, as seconds or as a date, up to a cap.',
  'models.timeout.connect':
    'A call ends when the provider takes no connection in time; headers that come late belong to the first token.',
  'models.timeout.first-token': 'A call ends when no first token comes in time.',
  'models.timeout.silence': 'A call ends when the answer falls silent; a slow reader is no silence.',
  'models.abort': 'An abort ends a call at once, wherever it is, and lets go of the connection.',
  'models.connection.kept': 'Calls of a model that follow each other share a connection.',
  'models.connection.stale':
    'A kept connection that the provider closed meanwhile costs nothing but another connection.',
  'models.connection.pressure': 'A connection is left alone while nobody reads what it brought.',
  'models.connection.compressed': 'An answer that is compressed unasked is read as it comes.',
  'models.connection.redirect':
    'A redirect is followed only within the same origin, a few times, with the request as it was.',
  'models.demo.tools':
    'The demo model drives the real tools on plain requests, and only those that are offered.',
  'models.demo.subagents':
    'The demo model hands what is asked in parallel to sub-agents, and puts their answers together.',
  'models.demo.command': 'The demo model runs a command on request and tells how it ended.',
  'models.demo.present': 'The demo model presents what it wrote into the outputs.',
  'models.demo.results': 'The demo model tells what the tools answered, failures included.',
  'models.demo.summary': 'The demo model summarises files and texts by their own sentences.',
  'models.demo.plan': 'The demo model writes a plan on request.',
  'models.demo.think': 'The demo model reasons aloud when thinking is on.',
  'models.demo.memory': 'The demo model refers to what was said before in the thread.',
  'models.demo.skills': 'The demo model does what stands behind the name of an activated skill.',
  'models.demo.honest': 'The demo model says that it is one.',
  'models.demo.deterministic': 'The demo model gives the same answer to the same messages.',
  'models.demo.stream': 'The demo model streams word by word and counts tokens.',
} as const;
